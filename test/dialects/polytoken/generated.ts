import fc from "fast-check";
import { expect } from "vitest";
import { claudeLifecycle } from "../../../src/agents/claude-code/adapter.ts";
import {
  isAwaited,
  POLYTOKEN_EVENTS,
  POLYTOKEN_HOOK_EVENTS,
  type PolytokenEvent,
} from "../../../src/dialects/polytoken/words/events.ts";
import { eventNamed } from "../../../src/policy/dialect-names.ts";
import { POLYTOKEN_TOOLS } from "../../../src/policy/polytoken-names.ts";
import { type Compared, compare, type Told, type Way } from "../compare.ts";
import { POLYTOKEN } from "./compared.ts";
import { type Entry, hook } from "./world.ts";

/** A file of hooks, and events that it is asked about. */
interface GeneratedFile {
  hooks: Entry[];
  told: Told[];
}

const { constantFrom, record, oneof, tuple } = fc;

const WORDS = ["rm", "secret", "no way", "ü — ñ", "a\tb", "'q'", '"', "x] [y", "$HOME", "  "] as const;
const TAGS = [...new Set(POLYTOKEN_HOOK_EVENTS.flatMap((event) => Object.keys(POLYTOKEN_EVENTS[event].outcomes)))];
const FIELDS = ["reason", "stdout", "stderr", "additional_context", "prepend_to_prompt", "append_to_output", "message"];

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const say = (text: string, to = "") => `printf '%s\\n' ${quote(text)}${to}`;
const words = constantFrom(...WORDS);

/** What handlers of this event may answer, and what they may not. */
function answersOf(event: PolytokenEvent): fc.Arbitrary<object> {
  const own = Object.entries(POLYTOKEN_EVENTS[event].outcomes);
  const fitting = own.map(([outcome, { fields }]) =>
    fc.dictionary(constantFrom("outcome", ...fields), words).map((said) => ({ ...said, outcome })),
  );
  const any = tuple(constantFrom("error", ...TAGS), fc.dictionary(constantFrom(...FIELDS, "other"), words));
  const odd = any.map(([outcome, said]) => ({ ...said, outcome }));
  return fitting.length === 0 ? odd : oneof({ arbitrary: oneof(...fitting), weight: 4 }, odd);
}

function scriptsOf(event: PolytokenEvent): fc.Arbitrary<string> {
  const answer = answersOf(event).map((said) => say(JSON.stringify(said)));
  const codes = constantFrom(0, 2, 2, 1, 3, 127);
  const ended = tuple(words, words, codes, constantFrom(0, 1, 2, 3)).map(([out, err, code, how]) =>
    [how % 2 === 1 ? say(out) : "", how > 1 ? say(err, " >&2") : "", `exit ${code}`].filter(Boolean).join("; "),
  );
  const odd = constantFrom(
    "",
    "kill -9 $$",
    "echo '{}'",
    "echo '[]'",
    "echo null",
    "echo '{\"outcome\":3}'",
    'echo \'{"outcome":"allow","outcome":"deny"}\'',
    'echo \'{"outcome":"allow"}{"outcome":"allow"}\'',
    "exec 1>&-; exit 2",
    "cat",
    "no-such-program",
    "[[ $POLYTOKEN_HOOK_EVENT == pre_* ]] && exit 2; exit 0",
  );
  const deciding = oneof({ arbitrary: answer, weight: 4 }, { arbitrary: ended, weight: 4 }, odd);
  const trace = 'echo "$POLYTOKEN_HANDLER_NAME $POLYTOKEN_HOOK_EVENT $POLYTOKEN_HOOK_MATCHER_SUBJECT" >> @TRACE@';
  const wanted = constantFrom("", "", "grep -q secret || exit 0; ", "grep -q '\"rm' || exit 0; ");
  return tuple(wanted, deciding).map(([when, how]) => `${trace}; ${when}${how}`);
}

const TOOLS = [...Object.keys(POLYTOKEN_TOOLS), "file_edit_insert", "mcp__a__b", "grep"];
const GLOBS = ["*", "**", "file_*", "file_edit_*", "s*", "[sw]*", "{shell_exec,web_fetch}", "B*", "Bash", "?hell_exec"];

function matchersOf(event: PolytokenEvent): fc.Arbitrary<string | undefined> {
  const { subject } = POLYTOKEN_EVENTS[event];
  const names = subject === "tool" ? TOOLS : subject === "subagent" ? ["explorer", "ex*", "[!e]*"] : [event, "*", "x"];
  return oneof(fc.constant(undefined), constantFrom(...names, ...GLOBS));
}

function hooksOn(event: PolytokenEvent): fc.Arbitrary<Entry[]> {
  const one = record({ bash: scriptsOf(event), matcher: matchersOf(event) }).map(({ bash, matcher }) =>
    hook(event, bash, matcher === undefined ? {} : { matcher }),
  );
  return fc.array(one, { minLength: 1, maxLength: 3 });
}

function toldOf(event: PolytokenEvent): fc.Arbitrary<Told> {
  const text = constantFrom("rm x", "a secret", "plain");
  const tool = record({ tool_name: constantFrom(...TOOLS), input: oneof(text.map((command) => ({ command }))) });
  const { subject } = POLYTOKEN_EVENTS[event];
  const fields: Readonly<Record<string, fc.Arbitrary<object>>> = {
    pre_user_prompt: record({ prompt: text }),
    stop: record({ response: text }),
    pre_compaction: record({ trigger: constantFrom("auto", "manual") }),
    post_compaction: record({ summary: text }),
    notification: record({ message: text }),
    facet_switch: record({ facet: text }),
    post_model_turn: record({ response: text }),
    subagent_start: record({ subagent_type: constantFrom("explorer", "writer") }),
    subagent_stop: record({ subagent_type: constantFrom("explorer", "writer") }),
    post_tool_use: tool.map((call) => ({ ...call, output: "rm" })),
    post_tool_use_failure: tool.map((call) => ({ ...call, error: "a secret" })),
  };
  const input = fields[event] ?? (subject === "tool" ? tool : fc.constant({}));
  return input.map((given) => ({ event, input: { ...given } }));
}

/** Hooks on one or two events, and events of these and of another one. */
export const polytokenFiles: fc.Arbitrary<GeneratedFile> = fc
  .uniqueArray(constantFrom(...POLYTOKEN_HOOK_EVENTS), { minLength: 1, maxLength: 2 })
  .chain((events) =>
    record({
      hooks: tuple(...events.map(hooksOn)).map((all) => all.flat().map((one, at) => ({ ...one, name: `h${at}` }))),
      told: tuple(...events.flatMap((event) => [toldOf(event), toldOf(event)])),
    }),
  )
  // Every event has a session of its own: how often a turn is kept going is another matter.
  .map(({ hooks, told }) => ({
    hooks,
    told: told.map(({ event, input }, at) => ({ event, input: { ...input, session_id: `s${at}` } })),
  }));

/** Asks the file directly and as a card, and compares what each came to. */
export async function expectSameAsDirect({ hooks, told }: GeneratedFile): Promise<void> {
  const files = { ".polytoken/hooks.json": JSON.stringify(hooks) };
  const { compared } = await compare(POLYTOKEN, { files, place: ".polytoken/hooks.json", told });
  for (const one of compared) {
    const event = one.told.event as PolytokenEvent;
    expect([hooks, one.told, heardOf(one.own)]).toEqual([hooks, one.told, expectedOf(event, one)]);
    expectTrace(one, one.own);
    if (one.claude === undefined) continue;
    expect([hooks, one.told, "Claude Code", heardOf(one.claude)]).toEqual([
      hooks,
      one.told,
      "Claude Code",
      inClaude(event, expectedOf(event, one)),
    ]);
    expectTrace(one, one.claude);
  }
}

type Said = Pick<Way, "ends" | "reason" | "text">;

function heardOf({ ends, reason, text }: Way): Said {
  return { ends, reason, text };
}

/** Of a script that could not decide, drwn says so in its own words around those of Polytoken. */
function expectedOf(event: PolytokenEvent, { direct }: Compared): Said {
  const { ends, reason, text } = direct;
  const message = /^hook h\d: ([\s\S]*)$/u.exec(reason)?.[1];
  const isError = ends === "held" && isAwaited(event) && message !== undefined;
  return { ends, reason: isError ? expect.stringContaining(oneLine(message)) : reason, text };
}

function oneLine(text: string): string {
  return text.split("\n")[0] ?? "";
}

/** Claude Code takes less: what it cannot hold happens, and what it takes no text at gets none. */
function inClaude(event: PolytokenEvent, { ends, reason, text }: Said): Said {
  if (event === "pre_tool_use") return { ends, reason, text: "" };
  const at = claudeLifecycle.powersAt(eventNamed("polytoken", event));
  const isHeld = ends === "held" && at?.holds === true;
  const isAdded = ends === "proceeds" && at?.injects === true;
  return { ends: isHeld ? "held" : "proceeds", reason: isHeld ? reason : "", text: isAdded ? text : "" };
}

/** The same scripts ran. Behind one that holds others may have started: in a card they do not wait for each other. */
function expectTrace({ direct, told }: Compared, { trace }: Way): void {
  const [wanted, ran] = [direct.trace, trace].map((text) => text.split("\n").toSorted());
  if (direct.ends === "proceeds") expect([told, ran]).toEqual([told, wanted]);
  else expect([told, ran]).toEqual([told, expect.arrayContaining(wanted ?? [])]);
}
