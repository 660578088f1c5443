import { SETTINGS_FILES } from "../agents/settings-files.ts";
import type { Shape } from "../support/settings-places.ts";

/** Numbers from 0 to 1 that depend only on the seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Dice {
  private readonly next: () => number;

  constructor(seed: number) {
    this.next = numbersFrom(seed);
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  of<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  }

  chance(part: number): boolean {
    return this.next() < part;
  }
}

const COMMANDS = [
  'npx prettier --write "$CLAUDE_FILE_PATHS"',
  "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh",
  "uv run ~/.claude/hooks/pre_tool_use.py --chat",
  "jq -r '.tool_input.command' >> ~/.claude/bash-log.txt",
  'osascript -e \'display notification "done" with title "agent"\'',
  "sh -c 'cd \"$(git rev-parse --show-toplevel)\" && make lint'",
  "echo '{\"hooks\": []}' # bin/hook: nothing of ours",
  "C:\\\\tools\\\\check.exe /q",
  'node -e "process.exit(0)"',
];
const MATCHERS = ["Bash", "Write|Edit", "*", "", "mcp__.*", "Edit|MultiEdit|Write", "^apply_patch$", "日本語"];
const EVENTS = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "Notification", "PreCompact"];

function handler(dice: Dice): Record<string, unknown> {
  return {
    type: "command",
    command: dice.of(COMMANDS),
    ...(dice.chance(0.4) ? { timeout: dice.below(120) + 1 } : {}),
    ...(dice.chance(0.1) ? { statusMessage: "checking…" } : {}),
  };
}

/** A handler as in Cursor and Copilot CLI. */
function flatHandler(dice: Dice): Record<string, unknown> {
  const command = dice.of(COMMANDS);
  return {
    ...(dice.chance(0.5) ? { command } : { type: "command", bash: command, powershell: "exit 0" }),
    ...(dice.chance(0.3) ? { matcher: dice.of(MATCHERS) } : {}),
    ...(dice.chance(0.3) ? { timeoutSec: dice.below(60) + 1 } : {}),
    ...(dice.chance(0.2) ? { failClosed: dice.chance(0.5) } : {}),
  };
}

function group(dice: Dice): Record<string, unknown> {
  return {
    ...(dice.chance(0.7) ? { matcher: dice.of(MATCHERS) } : {}),
    hooks: Array.from({ length: dice.below(3) }, () => handler(dice)),
  };
}

function hooksOf(dice: Dice, shape: Shape): Record<string, unknown> {
  const item = shape === "groups" ? group : flatHandler;
  const events = EVENTS.filter(() => dice.chance(0.4));
  return Object.fromEntries(events.map((event) => [event, Array.from({ length: dice.below(4) }, () => item(dice))]));
}

/** Entries as in Polytoken; a text turns a global hook off. */
function entriesOf(dice: Dice): unknown[] {
  return Array.from({ length: dice.below(12) }, (_, at) =>
    dice.chance(0.1)
      ? `!hook-${at}`
      : {
          name: dice.of(["guard", "log — 日本語", `hook ${at}`]),
          event: dice.of(EVENTS),
          ...(dice.chance(0.5) ? { matcher: dice.of(["shell_exec", "file_*", "*"]) } : {}),
          handler: { bash: dice.of(COMMANDS) },
        },
  );
}

function nested(depth: number): unknown {
  return depth === 0 ? [] : { [`level-${depth}`]: [nested(depth - 1), null, depth / 3] };
}

function settingsOf(dice: Dice, shape: Shape): unknown {
  if (shape === "entries") return entriesOf(dice);
  const parts: [string, () => unknown][] = [
    ["$schema", () => "https://json.schemastore.org/claude-code-settings.json"],
    ["model", () => dice.of(["opus", "sonnet[1m]", "gpt-5"])],
    ["env", () => ({ FOO: "1", BASH_DEFAULT_TIMEOUT_MS: `${dice.below(9) + 1}0000`, EMPTY: "" })],
    ["permissions", () => ({ allow: ["Bash(npm run test:*)", "Read(~/.zshrc)"], deny: ["Read(./.env)"], ask: [] })],
    ["mcpServers", () => ({ mine: { command: "mine", args: ["--stdio"], env: {} } })],
    ["statusLine", () => ({ type: "command", command: "~/.claude/status.sh", padding: 0 })],
    ["hooks", () => hooksOf(dice, shape)],
    ["version", () => 1],
    ["security", () => ({ auth: { selectedType: "oauth-personal" }, folderTrust: { enabled: true } })],
    ["ui", () => ({ theme: "GitHub Light", hideTips: false, accessibility: { screenReader: null } })],
    ["enabledPlugins", () => ({ "a@b": true, "c@d": false })],
    ["nested", () => nested(dice.below(20))],
    ["list", () => Array.from({ length: dice.below(2_000) }, (_, at) => `Bash(command-${at}:*)`)],
    ["naïve 🦀", () => ({ "": [1.5, -0, 1e21, true, null, "\u2028\u0000\\/"] })],
  ];
  return Object.fromEntries(parts.filter(() => dice.chance(0.5)).map(([key, make]) => [key, make()]));
}

/** The text as an editor, a formatter or a program leaves it. */
function layOut(dice: Dice, value: unknown): string {
  const plain = JSON.stringify(value, null, dice.of(["  ", "    ", "\t", "", " "]));
  const ended = plain + dice.of(["\n", "", "\n\n"]);
  const lined = dice.chance(0.25) ? ended.replaceAll("\n", "\r\n") : ended;
  return dice.chance(0.1) ? `\ufeff${lined}` : lined;
}

const GENERATED = 80;

/** JSON files as people and programs leave them: some written by hand, some generated from a seed. */
export function jsonCorpus(shape: Shape): readonly (readonly [string, string])[] {
  const byHand = Object.entries(SETTINGS_FILES);
  return [
    ...(shape === "entries" ? byHand.map(([name, text]) => [name, asItem(text)] as const) : byHand),
    ...Array.from({ length: GENERATED }, (_, seed) => {
      const dice = new Dice(seed + 1);
      return [`settings of seed ${seed + 1}`, layOut(dice, settingsOf(dice, shape))] as const;
    }),
  ];
}

/** For a file that is one list, makes an object its only item. */
function asItem(text: string): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const rest = text.slice(mark.length);
  return rest.trim() === "" ? text : `${mark}[${rest}]`;
}

const TOML_PARTS: readonly string[] = [
  'model = "gpt-5"\nmodel_reasoning_effort = "high"  # as always\n',
  "# a note of mine\n#   another\n\n",
  "approval_policy = \"on-request\"\nsandbox_mode = 'workspace-write'\n",
  '[features]\nhooks = true\n"quoted key" = 1\n',
  '[profiles.fast]\nmodel = "mini"\n\n[profiles."with space"]\nmodel = "x"\n',
  '[mcp_servers.mine]\ncommand = "mine"\nargs = ["--stdio", "a # b"]\n\n[mcp_servers.mine.env]\nKEY = "v"\n',
  '[projects."/home/someone/app"]\ntrust_level = "trusted"\n',
  '[[rules]]\npattern = \'^rm\\s\'\n\n[[rules]]\npattern = """\nmore\n# than one line\n"""\n',
  "[tools]\nweb_search = true\nlimits = { a = 1, b = [1, 2,\n  3,\n] }\n",
  "[notice]\nwhen = 2026-01-02T03:04:05Z\nfloat = 1e-3\nhex = 0xff\n",
  '[tui]\nname = "naïve 🦀 \\u00e9"\n\t\tindented = true\n',
];

function tomlOf(dice: Dice): string {
  // Bare keys belong before the first table, and each table is there once.
  const chosen = TOML_PARTS.filter(() => dice.chance(0.5));
  const text = chosen.join(dice.of(["", "\n", "\n\n"])) + (dice.chance(0.1) ? `# ${"x".repeat(200_000)}\n` : "");
  const ended = dice.chance(0.3) ? text.replace(/\n+$/u, "") : text;
  return dice.chance(0.25) ? ended.replaceAll("\n", "\r\n") : ended;
}

/** Config files of Codex. */
export const TOML_CORPUS: readonly (readonly [string, string])[] = [
  ["an empty file", ""],
  ["a file of one line end", "\n"],
  ["a comment and nothing else", "# mine"],
  ["one key without a line end", 'model = "x"'],
  ["a table at the end", '[a]\nb = "c"'],
  ["text that looks like a table", 'a = """\n[mcp_servers.x]\n"""\n'],
  ...Array.from({ length: 100 }, (_, seed) => [`config of seed ${seed + 1}`, tomlOf(new Dice(seed + 1))] as const),
];
