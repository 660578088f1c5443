import type { ComparedFiles, Told } from "../compare.ts";
import type { Random } from "../random.ts";
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
];

/** A plugin with a few hooks, and events for it. */
export function somePlugin(random: Random): ComparedFiles {
  const hooks = random.some(1, 4, () => {
    const event = random.from(EVENTS);
    const isOfTool = event.endsWith("ToolUse");
    const filters = [
      ...(isOfTool && random.chance(0.6) ? [`tool_match = "${random.from(GLOBS)}"`] : []),
      ...(isOfTool && random.chance(0.3) ? [`match_pattern = "${random.from(PATTERNS).replaceAll('"', '\\"')}"`] : []),
    ];
    return { event, filters, end: random.from(ENDS) };
  });
  const toml = hooks.map(
    ({ event, filters }, at) => `[[hooks]]\nevent = "${event}"\n${filters.join("\n")}\ncommand = "./${at}.sh"\n`,
  );
  const scripts = hooks.map(({ end }, at) => [
    `plugins/guard/${at}.sh`,
    bash(`in=$(cat); echo "${at} $in" >> @TRACE@; ${end}`),
  ]);
  return {
    files: { "plugins/guard/plugin.toml": toml.join("\n"), ...Object.fromEntries(scripts) },
    place: "plugins/guard",
    told: [...new Set(hooks.map(({ event }) => event))].flatMap((event, at) =>
      random.some(1, 2, () => someEvent(event, `s${at}-${random.below(1_000_000)}`, random)),
    ),
  };
}

function someEvent(event: (typeof EVENTS)[number], session_id: string, random: Random): Told {
  const call = { tool: random.from(TOOLS), params: { command: random.from(COMMANDS), a: 1 } };
  if (event === "PreToolUse") return { event, input: { ...call, session_id } };
  if (event === "PostToolUse") return { event, input: { ...call, result: { output: "x" }, session_id } };
  if (event === "SessionEnd") return { event, input: { session_id, turn_count: random.below(9) } };
  return event === "Stop"
    ? { event, input: { response: random.from(["done", "well"]), session_id } }
    : { event, input: { session_id } };
}
