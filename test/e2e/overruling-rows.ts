/** What stands beside a guard, and whether a denied call ran, or one that was allowed became the denied one. */
export interface OverrulingRow {
  agent: string;
  beside: string;
  denied: boolean;
  allowed: boolean;
}

const rows = (agent: string, ...of: [beside: string, denied: boolean, allowed: boolean][]) =>
  of.map(([beside, denied, allowed]): OverrulingRow => ({ agent, beside, denied, allowed }));

/** `overruling.test.ts` makes each of them happen; the table of `docs/reference/overruling.md` is made from them. */
export const OVERRULING_ROWS: readonly OverrulingRow[] = [
  ...rows(
    "Claude Code",
    ["a hook in the user's settings", false, true],
    ["a hook in the project's settings", false, true],
  ),
  ...rows(
    "Codex",
    ["a hook in the user's `hooks.json`", false, true],
    ["a hook in the project's `hooks.json`", false, true],
  ),
  ...rows("Gemini CLI", ["a hook in the project's settings", false, true], ["an extension with a hook", false, true]),
  ...rows(
    "Copilot CLI",
    ["`COPILOT_ALLOW_ALL`, or `copilot --allow-all-tools`", false, false],
    ["a hook in the project's `.github/hooks`", false, true],
    ["a hook in `~/.copilot/hooks`", false, false],
  ),
  ...rows(
    "OpenCode",
    ["a plugin in the project", false, true],
    ["a plugin of the user", false, true],
    ["a plugin of the user, loaded before drwn's", false, false],
    ["a plugin that `plugin` in the project's `opencode.json` names", false, false],
    ["a plugin that replaces what starts programs", false, false],
  ),
];
