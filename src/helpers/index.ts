export { effects, mentions, projectOf, steps } from "./acts/calls.ts";
export { changes, changesOf, isForTests, type OutsideChange } from "./acts/changes.ts";
export { type CodeCall, callsIn, literalsIn } from "./acts/code.ts";
export { type EditedFile, inputOfEdit } from "./acts/edits.ts";
export { type Effect, effectsOf, isRemote } from "./acts/effects.ts";
export { type Flow, flows, type Source } from "./acts/flows.ts";
export { type GitStep, gitSteps } from "./acts/git.ts";
export { inputTexts } from "./acts/input.ts";
export { type Code, codeOf } from "./acts/interpreters.ts";
export { fetches } from "./acts/network.ts";
export { folderMeant, kindOfPlace, liesBelow, type PlaceKind, resolvePlace } from "./acts/places.ts";
export { isInRunning, stepsOf } from "./acts/steps.ts";
export { shellTextsOf } from "./acts/texts.ts";
export { commands } from "./commands.ts";
export { type ConstantName, type MatchConstant, matchConstants } from "./match-constants.ts";
export { matchesGlob } from "./matches-glob.ts";
export type { On, PromptOn } from "./on.ts";
export type {
  Classifier,
  ContextFile,
  Inject,
  PolicyParts,
  PromptParts,
  Transform,
  TransformModel,
  WhenPrompt,
} from "./parts.ts";
export { once } from "./pattern/once.ts";
export { oneOf, oneOfAnyCase } from "./pattern/one-of.ts";
export { policy } from "./policy.ts";
export { type ProgramCall, programCallOf } from "./programs/call.ts";
export { type OptionShape, type Options, optionsOf } from "./programs/options.ts";
export type { Redirection, ShellCommand, Step } from "./shell/commands.ts";
export { mayStandFor } from "./shell/patterns.ts";
