import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  type EditedFile,
  effects,
  inputOfEdit,
  kindOfPlace,
  oneOf,
  programCallOf,
  projectOf,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";

const TEST_FILE =
  /(?:^|\/)(?:__tests__|[Tt]ests?|specs?|e2e|cypress)\/(?!.*(?:fixtures?|tmp|temp|output|__pycache__|node_modules|\.cache|coverage|results?|reports?|artifacts|screenshots|videos)(?:\/|$)).*\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|cs|swift|exs?|dart|scala|c|cc|cpp|sh|feature|bats)$|(?:^|\/)[^/]*(?:[._-](?:test|spec|e2e|cy)\.[\w.]+|_test\.\w+|_spec\.rb|Tests?\.(?:java|kt|cs|php|swift|scala)|IT\.java)$|(?:^|\/)test_[^/]+\.py$|(?:^|\/)conftest\.py$/;
const TEST_FOLDER =
  /(?:^|\/)(?:__snapshots__|(?:__tests__|[Tt]ests?|specs?|e2e)(?:\/(?!(?:fixtures?|data|tmp|temp|out|output|logs?|cache|coverage|results?|reports?|artifacts|screenshots|videos|node_modules|__pycache__)\b)[\w-]+)*)$/;
const SKIPS =
  /\b(?:it|test|describe|context|suite|bench|scenario|feature)\.(?:skip|only\b|todo|failing|fixme|skipIf\(true)\b|\b(?:xit|xdescribe|xtest|xcontext|fit|fdescribe)\s*\(|@?\bpytest\.mark\.(?:skip|xfail)\b|@(?:unittest\.(?:skip|expectedFailure)|Ignored?|Disabled|Skip|(?:module|describe)?tag :?skip)\b|\bpytest\.skip\(|\bself\.skipTest\(|\bSkipTest\(|\bt\.Skip(?:Now|f)?\(|\bGTEST_SKIP\(|\bTEST(?:_F)?\(\w+,\s*DISABLED_|@test_(?:skip|broken)\b|#\[ignore\b|->(?:markTest(?:Skipped|Incomplete)|skip)\(|\bskip:\s*(?:true|["'])|\bpending\b\s*(?:["'(]|$)|this\.skip\(|^\s*x(?:it|describe|context|specify|scenario)\b|\[(?:Fact|Theory)\(Skip|\[(?:Ignore|Skip)\b|XCTSkip|\.disabled\(|^\s*skip(?:\s+["'].*)?$/m;
const ASSERTS =
  /\b(?:expect|assert\w*|should|require\.\w+|t\.(?:Error|Fatal)\w*|verify|check)\b\s*[.(!]|\bassert\b|\b(?:def|func|fn) [tT]est/g;
const WEAK =
  /^.*(?:\.to(?:BeDefined|BeTruthy)\(\)|\.to be_truthy|assert [\w.()[\]]+ is not None\s*$|assert(?:IsNotNone|NotNull)\(|\bNotNil\().*$/gm;
const EMPTY_ASSERTS =
  /expect\((?:true|1)\)\.to(?:Be\w*\(|Equal\(| be| eq)|assert(?:True)?\(?\s*True\)?\s*$|^\s*process\.exit\(0\);?\s*$|^\s*sys\.exit\(0\)\s*$|assert\s+1\s*==\s*1|assert!\(true\)|assertTrue\(true\)|assert\.ok\(true\)|\.toBeDefined\(\)\s*\/\/\s*TODO/m;
/** Rust keeps tests beside the code that they test. */
const IN_RUST = /#\[(?:\w+::)?(?:ignore|test)\b|\bassert(?:_eq|_ne)?!/;
const SNAPSHOTS =
  /^(?:-u|--?update(?:[-_.]?\w*)?|-test\.update\S*|--ci=false|--snapshot-update|--inline-snapshot=(?:fix|update)|--force-regen|--accept)$/;
const RUNNERS =
  /^(?:jest|vitest|playwright|ava|tap|npm|npx|pnpm|yarn|bun|pytest|python[\d.]*|uv|poetry|cargo|insta|cypress|wdio|lerna|nx|turbo|react-scripts|deno|node|go|storybook|test-storybook)$/;

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|MultiEdit|apply_patch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const reason = weakens(event);
    return reason === undefined
      ? undefined
      : { action: "ask", reason: `${reason}. Fix the code that the test is about, or say why the test is wrong` };
  },
});

function weakens(event: ToolPolicyEvent): string | undefined {
  const touched = effects(event);
  const gone = touched.find(
    ({ does, place, isDeep, step }) =>
      does === "removes" &&
      (TEST_FILE.test(place) || (isDeep && TEST_FOLDER.test(place))) &&
      kindOfPlace(place, projectOf(event)) !== "temporary" &&
      (step?.program !== "mv" || leaves(step)) &&
      step?.program !== "rsync",
  );
  if (gone !== undefined) return `This deletes the test ${gone.written}`;
  const emptied = touched.find(
    ({ does, place, content = "", step }) =>
      does === "writes" && TEST_FILE.test(place) && content.trim() === "" && empties(event, step),
  );
  if (emptied !== undefined) return `This empties the test ${emptied.written}`;
  const all = steps(event);
  const git = all.find(
    ({ program, arguments: given }) =>
      program === "git" &&
      (given[0] === "rm" ||
        (given[0] === "mv" && !TEST_FILE.test(given.at(-1) ?? "") && !/\/$|^[^.]*$/.test(given.at(-1) ?? ""))) &&
      given.some((word) => TEST_FILE.test(word) || TEST_FOLDER.test(word.replace(/\/$/, ""))),
  );
  if (git !== undefined) return "This deletes a test";
  if (all.some((step) => updatesSnapshots(step) && !programCallOf(step).onlyLooks) || all.some(setsUpdate))
    return "This takes whatever the code does now as what it should do";
  const edits = inputOfEdit(event).filter(
    ({ place, before, after }) => TEST_FILE.test(place) || (/\.rs$/.test(place) && IN_RUST.test(before + after)),
  );
  return edits.map(weakenedBy).find((reason) => reason !== undefined);
}

function weakenedBy(edit: EditedFile): string | undefined {
  // A comment asserts nothing, and a condition that holds for almost any value hardly more.
  const count = (text: string, pattern: RegExp) =>
    [
      ...text
        .replace(/^[ \t]*(?:\/\/|#(?![[!])|\*).*$/gm, "")
        .replace(WEAK, "")
        .matchAll(pattern),
    ].length;
  if (!edit.isNew && edit.before + edit.after === "") return `This takes lines out of ${edit.written}`;
  if (SKIPS.test(edit.after) && !SKIPS.test(edit.before)) return `This skips a test of ${edit.written}`;
  if (EMPTY_ASSERTS.test(edit.after) && !EMPTY_ASSERTS.test(edit.before))
    return `This makes an assertion of ${edit.written} empty`;
  const isLess =
    edit.before !== "" && count(edit.before, ASSERTS) > 0 && count(edit.after, ASSERTS) < count(edit.before, ASSERTS);
  return isLess ? `This takes assertions out of ${edit.written}` : undefined;
}

/** Moved to where no test runs it: into a folder for waste, or under a name that isn't a test's. */
function leaves({ arguments: given }: Step): boolean {
  const to = given.at(-1) ?? "";
  return /^(?:\/tmp|\/var\/tmp|~)(?:\/|$)|\.(?:bak|old|disabled|off|skip|orig|txt)$/.test(to);
}

/** `> a.test.ts`, `echo > a.test.ts`, or Write without any text. */
function empties(event: ToolPolicyEvent, step: Step | undefined): boolean {
  if (step === undefined)
    return event.toolName === "Write" && /^\s*$/.test(String(Reflect.get(Object(event.input), "content")));
  if (step.program === "echo" || step.program === "printf")
    return step.arguments.every((word) => /^(?:-[neE]+|\s*|\\n)$/.test(word));
  return /^(?:|:|true|truncate)$/.test(step.program) || (step.program === "cp" && step.arguments.includes("/dev/null"));
}

function updatesSnapshots({ program, arguments: given }: Step): boolean {
  if (program === "cargo")
    return (
      given[0] === "insta" && (oneOf("accept review")(given[1] ?? "") || given.some((word) => /^--accept/.test(word)))
    );
  const accepts = given.some((word) => word.startsWith("-") && (SNAPSHOTS.test(word) || /^-[a-z]*u$/.test(word)));
  if (!accepts || !RUNNERS.test(program)) return false;
  const isTest =
    oneOf("jest vitest playwright ava tap pytest test-storybook")(program) ||
    given.some((word) => /(?:^|[:/])(?:test|jest|vitest|playwright|pytest|ava)\b/.test(word));
  return isTest && !oneOf("install i add get update outdated upgrade")(given[0] ?? "");
}

/** Variables that make a test run accept whatever it finds. */
function setsUpdate({ environment }: Step): boolean {
  return [...environment].some(
    ([name, value]) =>
      /^INSTA_(?:UPDATE|FORCE_UPDATE\w*)$|^(?:TRYBUILD|APPROVE_ALL)$|^(?=.*(?:SNAP|GOLDEN|EXPECT|TEST|BASELINE|CASSETTE|FIXTURE))(?:\w+_)?(?:UPDATE|REGEN(?:ERATE)?|RECORD|ACCEPT|APPROVE|BLESS|OVERWRITE|REWRITE)(?:_\w+)?$/.test(
        name,
      ) && !/^(?:0|no|false|new|none|unseen|)$/.test(value),
  );
}
