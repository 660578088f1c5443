export { commands } from "./commands.ts";
export { type ConstantName, type MatchConstant, matchConstants } from "./match-constants.ts";
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
export { policy } from "./policy.ts";
export type { Redirection } from "./shell/scan.ts";
export type { ShellCommand } from "./shell/unwrap.ts";
