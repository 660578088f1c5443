/** What somebody did, and what happened to a denied call, by who had set the guard. */
interface SystemRow {
  agent: "Claude Code" | "Codex" | "Gemini CLI";
  way: string;
  /** In a user's project, with the entry in the user's settings. */
  user: Held;
  /** With what root set for every user, and the entry in root's file. */
  system: Held;
}

interface Held {
  /** Whether the denied call still ran in the real agent. */
  ran: boolean;
  /** What `status` and `doctor` say afterwards, with `--system` for root's floor. */
  says: string;
}

export type Scope = "user" | "system";

/** One session of an agent. */
export interface SystemCell extends Held {
  agent: SystemRow["agent"];
  way: string;
  scope: Scope;
}

const GUARDED: Held = { ran: false, says: "Guarded" };
const BLOCKED: Held = { ran: false, says: "blocked" };
const UNGUARDED: Held = { ran: true, says: "NOT GUARDED" };
const UNKNOWN: Held = { ran: true, says: "NOT KNOWN" };
/** Another home has no consents. */
const NO_CONSENT: Held = { ran: true, says: "Not guarded" };

const HELD: Held = { ran: false, says: "Guarded, except for" };
/** It ran in a way that `doctor --system` names. */
const NAMED: Held = { ran: true, says: "Guarded, except for" };

const rows = (agent: SystemRow["agent"], ...of: [way: string, user: Held, system?: Held][]) =>
  of.map(([way, user, system = HELD]): SystemRow => ({ agent, way, user, system }));

/** `system.test.ts` makes each of them happen; the table of `docs/reference/system.md` is made from them. */
export const SYSTEM_ROWS: readonly SystemRow[] = [
  ...rows(
    "Claude Code",
    ["nothing", GUARDED],
    ["the user's settings were emptied", UNGUARDED],
    ["the user's settings were replaced by a folder", UNGUARDED],
    ["`disableAllHooks` in the user's settings", UNGUARDED],
    ["`disableAllHooks` in the project's settings", UNGUARDED],
    ["`disableAllHooks` in the project's personal settings", UNGUARDED],
    ["a mod that handles `tool.check`", UNGUARDED],
    ["a mod that handles `classic.PreToolUse`", UNGUARDED],
    ["a mod that handles `tool.call`, and answers in the tool's place", { ran: false, says: "NOT GUARDED" }],
    ["`claude --bare`", UNGUARDED],
    ["`claude --safe-mode`", UNGUARDED],
    ["`claude --setting-sources project`", UNGUARDED],
    ["`CLAUDE_CODE_SIMPLE` in the environment", UNGUARDED],
    ["`CLAUDE_CODE_SIMPLE` in other managed settings", UNGUARDED],
    ["`CLAUDE_CODE_MANAGED_SETTINGS_PATH` in the environment", GUARDED],
    ["`CLAUDE_CODE_SHELL_PREFIX` in the project's settings", UNGUARDED],
    ["`CLAUDE_CODE_SHELL_PREFIX` in the user's settings", UNGUARDED],
    ["`CLAUDE_CODE_SHELL_PREFIX` in the environment", UNGUARDED],
    ["`SHELLOPTS` in the project's settings", { ran: false, says: "NOT GUARDED" }],
    ["`LD_PRELOAD` in the project's settings", UNGUARDED],
    ["`LD_PRELOAD` in the user's settings", UNKNOWN, NAMED],
    ["`LD_PRELOAD` in the environment", UNKNOWN, NAMED],
    ['`LD_PRELOAD` in the user\'s settings, and `""` for it in managed settings', { ran: false, says: "NOT KNOWN" }],
    ['`LD_PRELOAD` in the environment, and `""` for it in managed settings', { ran: false, says: "NOT KNOWN" }],
    ["a hook in the project's settings that makes the denied call of another one", UNKNOWN, NAMED],
    ["the same, and `allowManagedHooksOnly` in managed settings", { ran: false, says: "NOT GUARDED" }],
    ["the launcher of the user was deleted", BLOCKED],
    ["the ledger of the user was edited", BLOCKED],
    ["all of `$DRWN_HOME` was deleted", { ran: false, says: "Not guarded" }],
    ["another `CLAUDE_CONFIG_DIR`", UNGUARDED],
    ["another `HOME`", NO_CONSENT],
    ["an empty `PATH`", GUARDED],
    ["programs of the user's in front in `PATH`", GUARDED],
    ["an agent that may become root removed drwn's files and entries", NO_CONSENT, NO_CONSENT],
  ),
  ...rows(
    "Codex",
    ["nothing", GUARDED],
    ["`hooks.json` was emptied", UNGUARDED],
    ["the user's `config.toml` was replaced", UNGUARDED],
    ["`hooks = false` in the project's `.codex/config.toml`", UNGUARDED],
    ["`codex --disable hooks`", UNGUARDED],
    ["`codex -c features.hooks=false`", UNGUARDED],
    ["a profile with `hooks = false`, and `codex --profile`", UNGUARDED],
    ["a profile that turns each hook off, and `codex --profile`", UNGUARDED],
    ["a hook in the project's `hooks.json` that makes the denied call of another one", UNKNOWN, NAMED],
    ["the same, and `allow_managed_hooks_only` in the requirements", { ran: false, says: "NOT GUARDED" }],
    ["a line in `~/.profile` and `~/.bash_profile`", GUARDED],
    ["another `SHELL`", GUARDED],
    ["`BASH_ENV` in the environment", UNKNOWN, NAMED],
    ["`LD_PRELOAD` in the environment", UNKNOWN, NAMED],
    ["the launcher of the user was deleted", BLOCKED],
    ["the ledger of the user was edited", BLOCKED],
    ["all of `$DRWN_HOME` was deleted", { ran: false, says: "Not guarded" }],
    ["another `CODEX_HOME`", UNGUARDED],
    ["another `HOME`", NO_CONSENT],
    ["an empty `PATH`", GUARDED],
    ["programs of the user's in front in `PATH`", GUARDED],
    ["an agent that may become root removed drwn's files and entries", NO_CONSENT, NO_CONSENT],
  ),
  ...rows(
    "Gemini CLI",
    ["nothing", GUARDED],
    ["the user's settings were emptied", UNGUARDED],
    ["`hooks` is null in the user's settings", UNGUARDED],
    ["`hooksConfig.enabled` is false in the user's settings", UNGUARDED],
    ["`hooksConfig.enabled` is false in the project's settings", UNGUARDED],
    ["`hooksConfig.disabled` in the user's settings names the hooks", UNGUARDED, NAMED],
    ["`hooksConfig.disabled` in the project's settings names the hooks", UNGUARDED, NAMED],
    ["`GEMINI_CLI_SYSTEM_SETTINGS_PATH` in the environment", GUARDED, NAMED],
    ["`GEMINI_CLI_SYSTEM_SETTINGS_PATH` in the project's `.gemini/.env`", GUARDED],
    ["a hook in the project's settings that makes the denied call of another one", UNKNOWN, NAMED],
    ["`LD_PRELOAD` in the project's `.gemini/.env`", UNGUARDED],
    ["`LD_PRELOAD` in the environment", UNKNOWN],
    ["`BASH_ENV` in the environment", GUARDED],
    ["the launcher of the user was deleted", BLOCKED],
    ["the ledger of the user was edited", BLOCKED],
    ["all of `$DRWN_HOME` was deleted", { ran: false, says: "Not guarded" }],
    ["another `HOME`", NO_CONSENT],
    ["an empty `PATH`", GUARDED],
    ["programs of the user's in front in `PATH`", GUARDED],
    ["an agent that may become root removed drwn's files and entries", NO_CONSENT, NO_CONSENT],
  ),
];

export const SYSTEM_CELLS: readonly SystemCell[] = SYSTEM_ROWS.flatMap(({ agent, way, user, system }) => [
  { agent, way, scope: "user" as const, ...user },
  { agent, way, scope: "system" as const, ...system },
]);
