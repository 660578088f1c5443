import type { ComparedFiles, Told } from "../compare.ts";
import type { Random } from "../random.ts";
import { hookToml } from "./world.ts";

type Fields = Readonly<Record<string, unknown>>;

/** By event, what it may be about. */
const DATA: Readonly<Record<string, (random: Random) => Fields>> = {
  pre_tool_call: (random) => ({ ...toolOf(random), arguments: someInput(random) }),
  post_tool_call: (random) => ({ ...toolOf(random), is_error: false, arguments: someInput(random), result: "r" }),
  tool_error: (random) => ({ ...toolOf(random), is_error: true, arguments: someInput(random), error: "e" }),
  pre_approval: (random) => ({ ...toolOf(random), arguments: someInput(random) }),
  session_start: () => ({ source: "startup" }),
  session_end: () => ({ reason: "other" }),
  user_prompt: (random) => ({ input: random.from(["hello", "rm it"]) }),
  pre_compact: () => ({ trigger: "auto" }),
  subagent_start: () => ({ subagent_type: "t" }),
  subagent_stop: () => ({ subagent_type: "t", result: "rm" }),
  notification: () => ({ message: "m" }),
  message_send: () => ({ content: "rm" }),
  model_resolve: () => ({ model: "m", provider: "p" }),
  prompt_build: () => ({ prompt: "p" }),
  session_reset: () => ({}),
  kernel_start: () => ({}),
};
/** Tool calls most often. */
const EVENTS = [...Array<string>(8).fill("pre_tool_call"), ...Object.keys(DATA)];

const TOOLS = [
  ["shell", "builtin"],
  ["read", "builtin"],
  ["Brave", "builtin"],
  ["status", "git"],
  ["shell", "remote"],
] as const;

function toolOf(random: Random): Fields {
  const [tool_name, server_name] = random.from(TOOLS);
  return { tool_name, server_name };
}

function someInput(random: Random): Fields {
  return { command: random.from(["ls", "rm -r build", "cat a.md"]) };
}

const MATCHERS: readonly (Fields | null)[] = [
  null,
  null,
  { type: "tool_names", names: ["shell"] },
  { type: "tool_names", names: ["read", "status"] },
  { type: "tool_names", names: ["Bash"] },
  { type: "glob", pattern: "s*" },
  { type: "glob", pattern: "B*" },
  { type: "glob", pattern: "{read,[s]hell}" },
  { type: "regex", pattern: "^s|rea" },
  { type: "server_names", names: ["git"] },
  { type: "server_names", names: ["builtin"] },
];

const says = (verdict: Fields) => `echo '${JSON.stringify(verdict)}'`;

/** What a command does once it has read its event. */
const ENDS = [
  "true",
  "echo continue",
  "echo 'block: No rm'",
  "echo 'BLOCK:'",
  "echo 'ask: Sure?'",
  "echo free text",
  "exit 1",
  "exit 2",
  "echo 'block: x'; exit 3",
  "echo '{'",
  "kill -9 $$",
  says({ action: "block", reason: "by JSON" }),
  says({ action: "ask", question: "really?", default: "no" }),
  says({ action: "continue_with", modifications: { arguments: { command: "a" } } }),
  says({ action: "continue_with", modifications: { arguments: { command: "b" }, context: "note" } }),
  says({ action: "continue_with", modifications: { context: "note" } }),
  says({ action: "nonsense" }),
  "case $in in *rm*) echo 'block: rm';; esac",
  `case $in in *'"tool_name":"shell"'*) echo 'block: shell';; esac`,
  `case $in in *'"previous_results":[{'*) echo 'block: not the first';; esac`,
  `case $ASTRID_HOOK_DATA in *ls*) echo 'ask: ls?';; esac`,
];

/** A few hooks in folders of their own, and events for them. */
export function someHooks(random: Random): ComparedFiles {
  const hooks = random.some(1, 4, () => {
    const event = random.from(EVENTS);
    return {
      event,
      toml: hookToml(`in=$(cat); echo "$in" >> @TRACE@; ${random.from(ENDS)}`, {
        event,
        matcher: random.from(MATCHERS),
        fail_action: random.from(["warn", "block", "ignore"]),
        priority: random.from([1, 50, 100]),
        name: random.chance(0.5) ? `hook ${random.below(3)}` : null,
      }),
    };
  });
  const files = hooks.map(({ toml }, at) => [`.astrid/hooks/${at}/HOOK.toml`, toml]);
  return {
    files: Object.fromEntries(files),
    place: ".astrid",
    told: [...new Set(hooks.map(({ event }) => event))].flatMap((event) =>
      random.some(1, 2, (): Told => ({ event, input: { event, data: DATA[event]?.(random) ?? {} } })),
    ),
  };
}
