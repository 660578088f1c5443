/** What was done, whether the denied call still ran in the real agent, and what drwn's first line says about it. */
export interface GuardingRow {
  agent: "Claude Code" | "Codex" | "Gemini CLI" | "Copilot CLI" | "OpenCode";
  after: string;
  ran: boolean;
  says: "Guarded" | "NOT GUARDED" | "NOT KNOWN" | "blocked";
  /**
   * What `drwn log check` found in the agent's own transcript: a call that no hook saw, or one that ran although it was
   * denied.
   */
  found: "unseen" | "overruled" | null;
}

const rows = (
  agent: GuardingRow["agent"],
  ...of: [after: string, ran: boolean, says: GuardingRow["says"], found?: GuardingRow["found"]][]
) => of.map(([after, ran, says, found = null]): GuardingRow => ({ agent, after, ran, says, found }));

/** `guarding.test.ts` makes each of them happen; the page `docs/reference/guarded.md` is made from them. */
export const GUARDING_ROWS: readonly GuardingRow[] = [
  ...rows(
    "Claude Code",
    ["`drwn write`", false, "Guarded"],
    ["the user's settings were emptied", true, "NOT GUARDED", "unseen"],
    ["the folder was moved", false, "blocked"],
    ["`drwn uninstall`", true, "NOT GUARDED", "unseen"],
    ["another `CLAUDE_CONFIG_DIR`", true, "NOT GUARDED", "unseen"],
    ["an empty `CLAUDE_CONFIG_DIR`", true, "NOT GUARDED", "unseen"],
    ["`drwn write` with a `CLAUDE_CONFIG_DIR` that isn't absolute", false, "Guarded"],
    ["`disableAllHooks` in the user's settings", true, "NOT GUARDED", "unseen"],
    ["`disableAllHooks` in the project's settings", true, "NOT GUARDED", "unseen"],
    ["`CLAUDE_CODE_SHELL_PREFIX` in the project's settings", true, "NOT GUARDED", "unseen"],
    ["`CLAUDE_CODE_SIMPLE` in the environment", true, "NOT GUARDED", "unseen"],
    ["a mod that handles `tool.check`", true, "NOT GUARDED", "overruled"],
    ["a mod that handles `classic.PreToolUse`", true, "NOT GUARDED", "unseen"],
    ["a mod that handles `tool.call`, and answers in the tool's place", false, "NOT GUARDED", "unseen"],
    ["`CLAUDE_CODE_SHELL_PREFIX` in the environment", true, "NOT GUARDED", "unseen"],
    ["`CLAUDE_CODE_USE_COWORK_PLUGINS` in the environment", true, "NOT GUARDED", "unseen"],
    ["another `HOME`", true, "NOT GUARDED", "unseen"],
    ["`permissions` in the user's settings isn't an object", true, "NOT GUARDED", "unseen"],
    ["a session in a folder below", false, "Guarded"],
    ["`disableAllHooks` in the settings of a folder below, where the session starts", true, "NOT GUARDED", "unseen"],
    ["a mod among the user's skills", true, "NOT GUARDED", "unseen"],
    ["a mod that `CLAUDE_CODE_PLUGIN_DIRS` names", true, "NOT GUARDED", "unseen"],
    ["a mod of a folder that `CLAUDE_CODE_PLUGIN_CACHE_DIR` names", true, "NOT GUARDED", "unseen"],
    [
      "`CLAUDE_CODE_PLUGIN_CACHE_DIR` in the project's settings, and a mod of that folder",
      true,
      "NOT GUARDED",
      "unseen",
    ],
    ["a mod that names its event with an escape, in a function that it hands `on`", true, "NOT GUARDED", "unseen"],
    ["a mod whose `hooks.json` names `modules` twice", true, "NOT GUARDED", "unseen"],
    ["a mod that came into a marketplace's folder after its plugin was installed", true, "NOT GUARDED", "unseen"],
    ["a mod that nobody installed, and that the project's settings enable", true, "NOT GUARDED", "unseen"],
    ["`disableAllHooks` in the machine's managed settings", true, "NOT GUARDED", "unseen"],
    ["`allowManagedHooksOnly` in the machine's managed settings", true, "NOT GUARDED", "unseen"],
    ["`strictPluginOnlyCustomization` in the machine's managed settings", true, "NOT GUARDED", "unseen"],
    ["`CLAUDE_CODE_SIMPLE` in the machine's managed settings", true, "NOT GUARDED", "unseen"],
    ["`allowManagedModsOnly` in the machine's managed settings, and a mod", false, "Guarded"],
    ["the entry went into the machine's managed settings", false, "Guarded"],
    ["the same of the machine's, and `disableAllHooks` in the user's", false, "Guarded"],
    ["the same of the machine's, and `CLAUDE_CODE_SIMPLE` in the environment", false, "Guarded"],
    ["the same of the machine's, and a mod", false, "Guarded"],
    ["the same of the machine's, and `CLAUDE_CODE_SHELL_PREFIX` in the environment", true, "NOT GUARDED", "unseen"],
    ["the same of the machine's, and `disableAllHooks` beside it", true, "NOT GUARDED", "unseen"],
    ["the same of the machine's, for other tools", true, "NOT GUARDED", "unseen"],
    ["the plan was removed", false, "blocked"],
  ),
  ...rows(
    "Codex",
    ["`drwn write`, and a person trusted the hook in `/hooks`", false, "Guarded"],
    ["`drwn write` alone", true, "NOT GUARDED", "unseen"],
    ["`hooks.json` was emptied", true, "NOT GUARDED", "unseen"],
    ["`hooks = false` in the project's `.codex/config.toml`", true, "NOT GUARDED", "unseen"],
    ["another `CODEX_HOME`", true, "NOT GUARDED", "unseen"],
    ["a session in a folder below", false, "Guarded"],
    ["`hooks = false` in a folder below, where the session starts", true, "NOT GUARDED", "unseen"],
    ["`codex_hooks = false` in the project's `.codex/config.toml`", true, "NOT GUARDED", "unseen"],
    ["a field in `hooks.json` that Codex doesn't know", true, "NOT GUARDED", "unseen"],
    ["a hook of another event in `hooks.json` without its command", true, "NOT GUARDED", "unseen"],
    ["a profile with `hooks = false`, and `codex --profile`", true, "NOT GUARDED", "unseen"],
    ["a profile that turns the hook of drwn off, and `codex --profile`", true, "NOT GUARDED", "unseen"],
    ["`BASH_ENV` in the environment", true, "NOT GUARDED", "unseen"],
    ["`hooks = false` in the machine's `managed_config.toml`", true, "NOT GUARDED", "unseen"],
    ["`allow_managed_hooks_only` in the machine's `requirements.toml`", true, "NOT GUARDED", "unseen"],
    ["the entry went into the machine's `requirements.toml`", false, "Guarded"],
    ["the same of the machine's, and `allow_managed_hooks_only`", false, "Guarded"],
    [
      "the same of the machine's, and `hooks = false` in the project's `.codex/config.toml`",
      true,
      "NOT GUARDED",
      "unseen",
    ],
    ["the same of the machine's, `hooks = true` required, and `hooks = false` in the project's", false, "Guarded"],
    ["the folder was moved", false, "blocked"],
    ["`drwn uninstall`", true, "NOT GUARDED", "unseen"],
  ),
  ...rows(
    "Gemini CLI",
    ["`drwn write`", false, "Guarded"],
    ["`hooks` in the user's `.gemini/settings.json` was emptied", true, "NOT GUARDED", "unseen"],
    ["the folder was moved", false, "blocked"],
    ["`drwn uninstall`", true, "NOT GUARDED", "unseen"],
  ),
  ...rows(
    "Copilot CLI",
    ["`drwn write`", false, "Guarded"],
    ["drwn's file in `~/.copilot/hooks` was removed", true, "NOT GUARDED", "unseen"],
    ["the folder was moved", false, "blocked"],
    ["`drwn uninstall`", true, "NOT GUARDED", "unseen"],
  ),
  ...rows(
    "OpenCode",
    ["`drwn write`", false, "Guarded"],
    ["drwn's plugin was removed", true, "NOT GUARDED", "unseen"],
    ["the folder was moved", false, "blocked"],
    ["`drwn uninstall`", true, "NOT GUARDED", "unseen"],
  ),
];
