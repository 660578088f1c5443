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
    ["the plan was removed", false, "blocked"],
  ),
  ...rows(
    "Codex",
    ["`drwn write`, and a person trusted the hook in `/hooks`", false, "Guarded"],
    ["`drwn write` alone", true, "NOT GUARDED"],
    ["`hooks.json` was emptied", true, "NOT GUARDED"],
    ["`hooks = false` in the project's `.codex/config.toml`", true, "NOT GUARDED"],
    ["the folder was moved", false, "blocked"],
    ["`drwn uninstall`", true, "NOT GUARDED"],
  ),
];
