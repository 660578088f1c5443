/** The agents that the real programs are run of. */
export type Agent = "Claude Code" | "Codex" | "Gemini CLI" | "Copilot CLI" | "OpenCode";

/** What somebody did, and what happened to a denied call, by who had set the guard. */
export interface Row {
  agent: Agent;
  way: string;
  /** In a user's project, with the entry in the user's settings. */
  user: Outcome;
  /** With what root set for every user, and the entry in root's file; absent: not tried. */
  system?: Outcome;
}

export interface Outcome {
  /** Whether the denied call still ran in the real agent. */
  ran: boolean;
  /** What `status` and `doctor` say afterwards, with `--system` for root's floor. */
  says: string;
}

export type Scope = "user" | "system";

/** One session of an agent. */
export interface Cell extends Outcome {
  agent: Agent;
  way: string;
  scope: Scope;
}

const GUARDED: Outcome = { ran: false, says: "Guarded" };
const BLOCKED: Outcome = { ran: false, says: "blocked" };
const UNGUARDED: Outcome = { ran: true, says: "NOT GUARDED" };
/** The call didn't run, and drwn cannot tell why not. */
const UNCLEAR: Outcome = { ran: false, says: "NOT GUARDED" };
const UNKNOWN: Outcome = { ran: true, says: "NOT KNOWN" };
/** Another hook of the user's own made the denied call of an allowed one: no transcript shows it. */
const REWRITTEN: Outcome = { ran: true, says: "Guarded" };
/** Another home has no consents. */
const NO_CONSENT: Outcome = { ran: true, says: "Not guarded" };

const HELD: Outcome = { ran: false, says: "Guarded, except for" };
/** It ran in a way that `doctor --system` names. */
const NAMED: Outcome = { ran: true, says: "Guarded, except for" };

const rows = (agent: Agent, ...of: [way: string, user: Outcome, system?: Outcome | undefined][]) =>
  of.map(([way, user, system]): Row => ({ agent, way, user, ...(system && { system }) }));

const IN_CLAUDE_CODE = rows(
  "Claude Code",
  ["`drwn write`", GUARDED, HELD],
  ["the user's settings were emptied", UNGUARDED, HELD],
  ["the user's settings were replaced by a folder", UNGUARDED, HELD],
  ["`permissions` in the user's settings isn't an object", UNGUARDED],
  ["`disableAllHooks` in the user's settings", UNGUARDED, HELD],
  ["`disableAllHooks` in the project's settings", UNGUARDED, HELD],
  ["`disableAllHooks` in the project's personal settings", UNGUARDED, HELD],
  ["`disableAllHooks` in the settings of a folder below, where the session starts", UNGUARDED],
  ["`disableAllHooks` in the machine's managed settings", UNGUARDED],
  ["`allowManagedHooksOnly` in the machine's managed settings", UNGUARDED],
  ["`strictPluginOnlyCustomization` in the machine's managed settings", UNGUARDED],
  ["`allowManagedModsOnly` in the machine's managed settings, and a mod", GUARDED],
  ["the entry went into the machine's managed settings, and `disableAllHooks` into the user's", GUARDED],
  ["the entry went into the machine's managed settings, for other tools", UNGUARDED],
  ["a mod that handles `tool.check`", UNGUARDED, HELD],
  ["a mod that handles `classic.PreToolUse`", UNGUARDED, HELD],
  ["a mod that handles `tool.call`, and answers in the tool's place", UNCLEAR, HELD],
  ["a mod among the user's skills", UNGUARDED],
  ["a mod that `CLAUDE_CODE_PLUGIN_DIRS` names", UNGUARDED],
  ["`claude --bare`", UNGUARDED, HELD],
  ["`claude --safe-mode`", UNGUARDED, HELD],
  ["`claude --setting-sources project`", UNGUARDED, HELD],
  ["`CLAUDE_CODE_SIMPLE` in the environment", UNGUARDED, HELD],
  ["`CLAUDE_CODE_SIMPLE` in other managed settings", UNGUARDED, HELD],
  ["`CLAUDE_CODE_MANAGED_SETTINGS_PATH` in the environment", GUARDED, HELD],
  ["`CLAUDE_CODE_SHELL_PREFIX` in the project's settings", GUARDED, HELD],
  ["`CLAUDE_CODE_SHELL_PREFIX` in the user's settings", GUARDED, HELD],
  ["`CLAUDE_CODE_SHELL_PREFIX` in the environment", GUARDED, HELD],
  ["`SHELLOPTS` in the project's settings", UNCLEAR, HELD],
  ["`LD_PRELOAD` in the project's settings", UNGUARDED, HELD],
  ["`LD_PRELOAD` in the user's settings", UNGUARDED, NAMED],
  ["`LD_PRELOAD` in the environment", UNGUARDED, NAMED],
  [
    '`LD_PRELOAD` in the user\'s settings, and `""` for it in managed settings',
    { ran: false, says: "NOT KNOWN" },
    HELD,
  ],
  ['`LD_PRELOAD` in the environment, and `""` for it in managed settings', { ran: false, says: "NOT KNOWN" }, HELD],
  ["a hook in the project's settings that makes the denied call of another one", UNKNOWN, NAMED],
  ["a hook in the user's settings that makes the denied call of another one", REWRITTEN],
  ["a hook in the frontmatter of a project's command that makes the denied call of another one", REWRITTEN],
  ["a hook of a plugin of the user's that makes the denied call of another one", REWRITTEN],
  ["a hook in the project's settings, and `allowManagedHooksOnly` in managed settings", UNGUARDED, HELD],
  ["the launcher of the user was deleted", BLOCKED, HELD],
  ["the ledger of the user was edited", BLOCKED, HELD],
  ["the plan was removed", BLOCKED],
  ["all of `$DRWN_HOME` was deleted", BLOCKED, HELD],
  ["`drwn uninstall`", UNGUARDED],
  ["the folder was moved", BLOCKED],
  ["a session in a folder below", GUARDED],
  ["another `CLAUDE_CONFIG_DIR`", UNGUARDED, HELD],
  ["`drwn write` with a `CLAUDE_CONFIG_DIR` that isn't absolute", GUARDED],
  ["another `HOME`", NO_CONSENT, HELD],
  ["an empty `PATH`", GUARDED, HELD],
  ["programs of the user's in front in `PATH`", GUARDED, HELD],
  ["an agent that may become root removed drwn's files and entries", NO_CONSENT, NO_CONSENT],
);

const IN_CODEX = rows(
  "Codex",
  ["`drwn write`, and a person trusted the hook in `/hooks`", GUARDED, HELD],
  ["`drwn write` alone", UNGUARDED],
  ["`hooks.json` was emptied", UNGUARDED, HELD],
  ["a field in `hooks.json` that Codex doesn't know", UNGUARDED],
  ["a hook of another event in `hooks.json` without its command", UNGUARDED],
  ["the user's `config.toml` was replaced", UNGUARDED, HELD],
  ["`hooks = false` in the project's `.codex/config.toml`", UNGUARDED, HELD],
  ["`codex_hooks = false` in the project's `.codex/config.toml`", UNGUARDED],
  ["`hooks = false` in a folder below, where the session starts", UNGUARDED],
  ["`hooks = false` in the machine's `managed_config.toml`", UNGUARDED],
  ["`allow_managed_hooks_only` in the machine's `requirements.toml`", UNGUARDED],
  ["the entry went into the machine's `requirements.toml`, with `allow_managed_hooks_only`", GUARDED],
  ["the entry went into the machine's `requirements.toml`, and `hooks = false` into the project's", UNGUARDED],
  ["`codex --disable hooks`", UNGUARDED, HELD],
  ["`codex -c features.hooks=false`", UNGUARDED, HELD],
  ["a profile with `hooks = false`, and `codex --profile`", UNGUARDED, HELD],
  ["a profile that turns each hook off, and `codex --profile`", UNGUARDED, HELD],
  ["a hook in the project's `hooks.json` that makes the denied call of another one", UNKNOWN, NAMED],
  ["a hook in the user's `hooks.json` that makes the denied call of another one", REWRITTEN],
  ["a hook in the project's `hooks.json`, and `allow_managed_hooks_only` in the requirements", UNGUARDED, HELD],
  ["a line in `~/.profile` and `~/.bash_profile`", GUARDED, HELD],
  ["another `SHELL`", GUARDED, HELD],
  ["`BASH_ENV` in the environment", UNGUARDED, NAMED],
  ["`LD_PRELOAD` in the environment", UNGUARDED, NAMED],
  ["the launcher of the user was deleted", BLOCKED, HELD],
  ["the ledger of the user was edited", BLOCKED, HELD],
  ["all of `$DRWN_HOME` was deleted", BLOCKED, HELD],
  ["`drwn uninstall`", UNGUARDED],
  ["the folder was moved", BLOCKED],
  ["a session in a folder below", GUARDED],
  ["another `CODEX_HOME`", UNGUARDED, HELD],
  ["another `HOME`", NO_CONSENT, HELD],
  ["an empty `PATH`", GUARDED, HELD],
  ["programs of the user's in front in `PATH`", GUARDED, NAMED],
  ["an agent that may become root removed drwn's files and entries", NO_CONSENT, NO_CONSENT],
);

const IN_GEMINI_CLI = rows(
  "Gemini CLI",
  ["`drwn write`", GUARDED, HELD],
  ["the user's settings were emptied", UNGUARDED, HELD],
  ["`hooks` is null in the user's settings", UNGUARDED, HELD],
  ["`hooksConfig.enabled` is false in the user's settings", UNGUARDED, HELD],
  ["`hooksConfig.enabled` is false in the project's settings", UNGUARDED, HELD],
  ["`hooksConfig.disabled` in the user's settings names the hooks", UNGUARDED, NAMED],
  ["`hooksConfig.disabled` in the project's settings names the hooks", UNGUARDED, NAMED],
  ["`hooks` is null in the project's settings", UNGUARDED, HELD],
  ["a hook in the project's settings has a number for its matcher", UNGUARDED, NAMED],
  ["a hook in the user's settings has a number for its matcher", UNGUARDED, NAMED],
  ["`GEMINI_CLI_SYSTEM_SETTINGS_PATH` in the environment", GUARDED, NAMED],
  ["`GEMINI_CLI_SYSTEM_SETTINGS_PATH` in the project's `.gemini/.env`", GUARDED, HELD],
  ["a hook in the project's settings that makes the denied call of another one", UNKNOWN, NAMED],
  ["an extension with a hook that makes the denied call of another one", REWRITTEN],
  ["`LD_PRELOAD` in the project's `.gemini/.env`", UNGUARDED, HELD],
  ["`LD_PRELOAD` in the environment", UNGUARDED, HELD],
  ["`s=100` in the environment, and the launcher of the user was deleted", BLOCKED, HELD],
  ["`BASH_ENV` in the environment", GUARDED, HELD],
  ["the launcher of the user was deleted", BLOCKED, HELD],
  ["the ledger of the user was edited", BLOCKED, HELD],
  ["all of `$DRWN_HOME` was deleted", BLOCKED, HELD],
  ["`drwn uninstall`", UNGUARDED],
  ["the folder was moved", BLOCKED],
  ["another `HOME`", NO_CONSENT, HELD],
  ["an empty `PATH`", UNCLEAR, HELD],
  ["programs of the user's in front in `PATH`", UNGUARDED, NAMED],
  ["an agent that may become root removed drwn's files and entries", NO_CONSENT, NO_CONSENT],
);

const IN_COPILOT_CLI = rows(
  "Copilot CLI",
  ["`drwn write`", GUARDED],
  ["drwn's file in `~/.copilot/hooks` was removed", UNGUARDED],
  ["`disableAllHooks` in the project's `.github/copilot/settings.json`", UNGUARDED],
  ["`disableAllHooks` in the project's personal `.claude` settings", UNGUARDED],
  ["`disabledHooks` in the user's settings names the hook", UNGUARDED],
  ["`allowManagedHooksOnly` in the machine's managed settings", UNGUARDED],
  ["a hook in the project's `.github/hooks` that makes the denied call of another one", UNKNOWN],
  ["a hook in `~/.copilot/hooks` that makes the denied call of another one", GUARDED],
  ["`drwn uninstall`", UNGUARDED],
  ["the folder was moved", BLOCKED],
);

const IN_OPENCODE = rows(
  "OpenCode",
  ["`drwn write`", GUARDED],
  ["drwn's plugin was removed", UNGUARDED],
  ["a plugin in the project that makes the denied call of another one", UNKNOWN],
  ["a plugin of the user's that makes the denied call of another one", REWRITTEN],
  ["a plugin of the user's, loaded before drwn's, that makes the denied call of another one", GUARDED],
  ["a plugin that the project's `opencode.json` names, and that makes the denied call of another one", GUARDED],
  ["`drwn uninstall`", UNGUARDED],
  ["the folder was moved", BLOCKED],
);

/** `ways.test.ts` makes each of them happen; the lists of `docs/reference/guarded.md` are made from them. */
export const ROWS: readonly Row[] = [
  ...IN_CLAUDE_CODE,
  ...IN_CODEX,
  ...IN_GEMINI_CLI,
  ...IN_COPILOT_CLI,
  ...IN_OPENCODE,
];

export const CELLS: readonly Cell[] = ROWS.flatMap(({ agent, way, user, system }) => [
  { agent, way, scope: "user" as const, ...user },
  ...(system === undefined ? [] : [{ agent, way, scope: "system" as const, ...system }]),
]);
