import type { ComparedFiles, Told } from "../compare.ts";
import type { Random } from "../random.ts";
import type { Generation } from "./compared.ts";
import { bash } from "./world.ts";

const EVENTS = ["PreToolUse", "PreToolUse", "PreToolUse", "PostToolUse", "SessionStart", "SessionEnd", "Stop"] as const;
const TOOLS = ["shell", "file_read", "file_write", "file_edit", "web_fetch", "grep", "Brave"];
/** Beside whole names, globs that match Arawn's names, those of other agents, both, and neither. */
const GLOBS = [...TOOLS, "*", "sh*", "B*", "file_*", "*e*", "?????", "Bash", "Read", "nothing"];
const PATTERNS = ["rm", '"command":"rm', "^\\\\{", "\\\\.md", "x{3}", "(?i)LS"];
const COMMANDS = ["ls", "rm -r build", "cat a.md", "echo xxx"];

/** What a script does once it was told of its event. */
const ENDS = [
  "exit 0",
  "echo fine",
  "echo no; exit 1",
  "echo no; exit 2",
  "echo why >&2; exit 1",
  "exit 3",
  "printf ' spaced \\n\\n'; exit 1",
  `echo '{"outcome":"block"}'`,
  "kill -9 $$",
  "case $in in *shell*) echo by its name; exit 1;; esac",
  "case $in in *Bash*) echo by the name of others; exit 1;; esac",
  `case $in in *'"rm'*) echo by its input; exit 1;; esac; echo seen`,
  "case $in in *done*) echo go on; exit 1;; esac; echo well",
  "echo two; echo lines",
  "echo '+ plus'",
  "echo '-n'; exit 1",
  `case $in in *'"stop_hook_active":true'*) exit 0;; esac; echo once; exit 1`,
];

/** Files with hooks in one of the ways in which Arawn has them, and the generations of Arawn that tell of their events. */
export interface Generated extends ComparedFiles {
  generations: readonly Generation[];
}

const FORMS = [inToml, inToml, inGroups, inList, inSettings, inSettings] as const;

/** A few hooks in some form, and events for them. */
export function someFiles(random: Random): Generated {
  return random.from(FORMS)(random);
}

interface GeneratedHook {
  event: string;
  glob: string | null;
  pattern: string | null;
  script: string;
}

function someHooks(random: Random, events: readonly string[]): GeneratedHook[] {
  let count = 0;
  return random.some(1, 4, () => {
    const event = random.from(events);
    const isOfTool = event.includes("ToolUse");
    const glob = isOfTool && random.chance(0.6) ? random.from(GLOBS) : null;
    const pattern = isOfTool && random.chance(0.3) ? random.from(PATTERNS) : null;
    return { event, glob, pattern, script: `in=$(cat); echo "${count++} $in" >> @TRACE@; ${random.from(ENDS)}` };
  });
}

const GENERATIONS: readonly Generation[] = ["plugin.toml", "hooks.json", "settings.json"];

function inPlugin(hooks: readonly GeneratedHook[], file: string, random: Random): Generated {
  const scripts = hooks.map(({ script }, at) => [`plugins/guard/${at}.sh`, bash(script)]);
  const files = { ...Object.fromEntries(scripts) };
  const name = file.startsWith("[[") || file === "" ? "plugin.toml" : "hooks/hooks.json";
  return {
    files: { [`plugins/guard/${name}`]: file, ...files },
    place: "plugins/guard",
    told: someEvents(hooks, random),
    generations: GENERATIONS,
  };
}

function inToml(random: Random): Generated {
  const hooks = someHooks(random, EVENTS);
  const entries = hooks.map(({ event, glob, pattern }, at) => {
    const filters = [
      ...(glob === null ? [] : [`tool_match = ${JSON.stringify(glob)}`]),
      ...(pattern === null ? [] : [`match_pattern = "${pattern.replaceAll('"', '\\"')}"`]),
    ];
    return `[[hooks]]\nevent = "${event}"\n${filters.join("\n")}\ncommand = "./${at}.sh"\n`;
  });
  return inPlugin(hooks, entries.join("\n"), random);
}

/** A hooks.json as Claude Code has it; prompts and agents are run by nobody. */
function inGroups(random: Random): Generated {
  const hooks = someHooks(random, EVENTS);
  const groups = new Map<string, object[]>();
  for (const [at, { event, glob }] of hooks.entries()) {
    const command = random.from([`./${at}.sh`, `\${CLAUDE_PLUGIN_ROOT}/${at}.sh`, `\${ARAWN_PLUGIN_DIR}/${at}.sh`]);
    const actions = [
      ...(random.chance(0.2) ? [{ type: "prompt", prompt: "may it?" }] : []),
      { ...(random.chance(0.5) ? { type: "command" } : {}), command, ...(random.chance(0.2) ? { timeout: 5000 } : {}) },
    ];
    const group = { ...matcherOf(glob, random), hooks: actions };
    groups.set(event, [...(groups.get(event) ?? []), group]);
  }
  // Arawn runs the hooks of an event in their order, whatever stands between.
  return inPlugin(hooks, JSON.stringify({ hooks: Object.fromEntries(groups) }), random);
}

function inList(random: Random): Generated {
  const hooks = someHooks(random, EVENTS);
  const list = hooks.map(({ event, glob }, at) => {
    return { event, type: "command", command: `./${at}.sh`, ...matcherOf(glob, random) };
  });
  return inPlugin(hooks, JSON.stringify({ hooks: list }), random);
}

function matcherOf(glob: string | null, random: Random): object {
  if (glob !== null) return { matcher: glob };
  return random.chance(0.3) ? { matcher: random.from(["", "*"]) } : {};
}

/** Events that only the newest generation tells hooks of settings. */
const MORE_EVENTS = [...EVENTS, "UserPromptSubmit", "PreCompact", "PostCompact", "SubagentStart", "SubagentStop"];
const GATES = ["Stop", "UserPromptSubmit", "PreCompact", "SubagentStop"];
const UNIONS = ["shell|file_*", "Bash|Read", "file_write|file_edit", "sh*|web_fetch", "nothing|*ve"];

/** Lines of shell, which block by exit code 2. */
function inSettings(random: Random): Generated {
  const hooks = someHooks(random, MORE_EVENTS);
  const groups = new Map<string, object[]>();
  for (const { event, glob, pattern, script: plain } of hooks) {
    // Before a call another end than the codes 0 and 2 blocks in a card alone, elsewhere a signal, as the report says.
    const isBefore = event === "PreToolUse";
    const others = isBefore ? /exit [13]|kill -9 \$\$/gu : GATES.includes(event) ? /exit 1|kill -9 \$\$/gu : /exit 1/gu;
    const script = plain.replaceAll(others, "exit 2");
    const matcher = pattern === null ? matcherOf(glob, random) : { matcher: random.from(UNIONS) };
    const timeout = random.chance(0.2) ? { timeout: 7 } : {};
    const group = { ...matcher, hooks: [{ type: "command", command: script, ...timeout }] };
    groups.set(event, [...(groups.get(event) ?? []), group]);
  }
  return {
    files: { ".arawn/settings.json": JSON.stringify({ hooks: Object.fromEntries(groups) }) },
    place: ".arawn/settings.json",
    told: someEvents(hooks, random),
    generations: ["settings.json"],
  };
}

function someEvents(hooks: readonly GeneratedHook[], random: Random): Told[] {
  return [...new Set(hooks.map(({ event }) => event))].flatMap((event, at) =>
    random.some(1, 2, () => someEvent(event, `s${at}-${random.below(1_000_000)}`, random)),
  );
}

function someEvent(event: string, session_id: string, random: Random): Told {
  const call = { tool: random.from(TOOLS), params: { command: random.from(COMMANDS), a: 1 } };
  const response = random.from(["done", "well"]);
  const stop_hook_active = random.chance(0.5);
  const inputs: Readonly<Record<string, object>> = {
    PreToolUse: call,
    PostToolUse: { ...call, result: { output: "x" } },
    SessionEnd: { turn_count: random.below(9) },
    Stop: { response, stop_hook_active },
    UserPromptSubmit: { prompt: random.from(["rm it", "done?"]) },
    PreCompact: { trigger: "manual" },
    PostCompact: { trigger: "auto", summary: response },
    SubagentStart: { agent_type: "plan" },
    SubagentStop: { agent_type: "plan", response, stop_hook_active },
  };
  return { event, input: { ...inputs[event], session_id } };
}
