/** What was done, whether the denied call ran in the real agent all the same, and what drwn says of it in its first line. */
export interface GuardingRow {
  agent: "Claude Code" | "Codex";
  after: string;
  ran: boolean;
  says: "Guarded" | "NOT GUARDED" | "NOT KNOWN" | "blocked";
}

const rows = (agent: GuardingRow["agent"], ...of: [after: string, ran: boolean, says: GuardingRow["says"]][]) =>
  of.map(([after, ran, says]): GuardingRow => ({ agent, after, ran, says }));

/** `guarding.test.ts` makes each of them happen; the page `docs/reference/guarded.md` is made from them. */
export const GUARDING_ROWS: readonly GuardingRow[] = [
  ...rows(
    "Claude Code",
    ["`drwn write`", false, "Guarded"],
    ["the user's settings were emptied", true, "NOT GUARDED"],
    ["the folder was moved", false, "blocked"],
    ["`drwn uninstall`", true, "NOT GUARDED"],
    ["another `CLAUDE_CONFIG_DIR`", true, "NOT GUARDED"],
    ["`disableAllHooks` in the user's settings", true, "NOT GUARDED"],
    ["`disableAllHooks` in the project's settings", true, "NOT GUARDED"],
    ["`CLAUDE_CODE_SHELL_PREFIX` in the project's settings", true, "NOT GUARDED"],
    ["`CLAUDE_CODE_SIMPLE` in the environment", true, "NOT GUARDED"],
    ["a mod that handles `tool.check`", true, "NOT KNOWN"],
    ["a mod that handles `classic.PreToolUse`", true, "NOT KNOWN"],
    ["a mod that handles `tool.call`, and answers in the tool's place", false, "NOT KNOWN"],
    ["`CLAUDE_CODE_SHELL_PREFIX` in the environment", true, "NOT KNOWN"],
    ["`CLAUDE_CODE_USE_COWORK_PLUGINS` in the environment", true, "NOT GUARDED"],
    ["another `HOME`", true, "NOT GUARDED"],
    ["`permissions` in the user's settings isn't an object", true, "NOT GUARDED"],
    ["a session in a folder below", false, "Guarded"],
    ["`disableAllHooks` in the settings of a folder below, where the session starts", true, "NOT GUARDED"],
    ["a mod among the user's skills", true, "NOT KNOWN"],
    ["a mod that `CLAUDE_CODE_PLUGIN_DIRS` names", true, "NOT KNOWN"],
    ["a mod of a folder that `CLAUDE_CODE_PLUGIN_CACHE_DIR` names", true, "NOT KNOWN"],
    ["`disableAllHooks` in the machine's managed settings", true, "NOT GUARDED"],
    ["`allowManagedHooksOnly` in the machine's managed settings", true, "NOT GUARDED"],
    ["`strictPluginOnlyCustomization` in the machine's managed settings", true, "NOT GUARDED"],
    ["`CLAUDE_CODE_SIMPLE` in the machine's managed settings", true, "NOT GUARDED"],
    ["`allowManagedModsOnly` in the machine's managed settings, and a mod", false, "Guarded"],
    ["the entry went into the machine's managed settings", false, "Guarded"],
    ["the same of the machine's, and `disableAllHooks` in the user's", false, "Guarded"],
    ["the same of the machine's, and `CLAUDE_CODE_SIMPLE` in the environment", false, "Guarded"],
    ["the same of the machine's, and a mod", false, "Guarded"],
    ["the same of the machine's, and `CLAUDE_CODE_SHELL_PREFIX` in the environment", true, "NOT KNOWN"],
    ["the same of the machine's, and `disableAllHooks` beside it", true, "NOT GUARDED"],
    ["the same of the machine's, for other tools", true, "NOT GUARDED"],
    ["the plan was removed", false, "blocked"],
  ),
  ...rows(
    "Codex",
    ["`drwn write`, and a person trusted the hook in `/hooks`", false, "Guarded"],
    ["`drwn write` alone", true, "NOT GUARDED"],
    ["`hooks.json` was emptied", true, "NOT GUARDED"],
    ["`hooks = false` in the project's `.codex/config.toml`", true, "NOT GUARDED"],
    ["another `CODEX_HOME`", true, "NOT GUARDED"],
    ["a session in a folder below", false, "Guarded"],
    ["`hooks = false` in a folder below, where the session starts", true, "NOT GUARDED"],
    ["`codex_hooks = false` in the project's `.codex/config.toml`", true, "NOT GUARDED"],
    ["a field in `hooks.json` that Codex doesn't know", true, "NOT GUARDED"],
    ["a hook of another event in `hooks.json` without its command", true, "NOT GUARDED"],
    ["`BASH_ENV` in the environment", true, "NOT KNOWN"],
    ["`hooks = false` in the machine's `managed_config.toml`", true, "NOT GUARDED"],
    ["`allow_managed_hooks_only` in the machine's `requirements.toml`", true, "NOT GUARDED"],
    ["the entry went into the machine's `requirements.toml`", false, "Guarded"],
    ["the same of the machine's, and `allow_managed_hooks_only`", false, "Guarded"],
    ["the same of the machine's, and `hooks = false` in the project's `.codex/config.toml`", true, "NOT GUARDED"],
    ["the same of the machine's, `hooks = true` required, and `hooks = false` in the project's", false, "Guarded"],
    ["the folder was moved", false, "blocked"],
    ["`drwn uninstall`", true, "NOT GUARDED"],
  ),
];
