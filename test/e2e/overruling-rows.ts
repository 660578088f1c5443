/** What is beside a guard, and whether a denied call ran or an allowed call became the denied one. */
export interface OverrulingRow {
  agent: string;
  beside: string;
  denied: boolean;
  allowed: boolean;
  /** What drwn says about it: its first word on the agent. */
  said: Said;
}

export type Said = "NOT KNOWN" | "nothing";

const rows = (agent: string, ...of: [beside: string, denied: boolean, allowed: boolean, said: Said][]) =>
  of.map(([beside, denied, allowed, said]): OverrulingRow => ({ agent, beside, denied, allowed, said }));

/** `overruling.test.ts` makes each of them happen; the table of `docs/reference/overruling.md` is made from them. */
export const OVERRULING_ROWS: readonly OverrulingRow[] = [
  ...rows(
    "Claude Code",
    ["a hook in the user's settings", false, true, "nothing"],
    ["a hook in the project's settings", false, true, "NOT KNOWN"],
    ["a hook in the frontmatter of a project's command or skill", false, true, "nothing"],
    ["a hook of a plugin of the user", false, true, "nothing"],
  ),
  ...rows(
    "Codex",
    ["a hook in the user's `hooks.json`", false, true, "nothing"],
    ["a hook in the project's `hooks.json`", false, true, "NOT KNOWN"],
  ),
  ...rows(
    "Gemini CLI",
    ["a hook in the project's settings", false, true, "NOT KNOWN"],
    ["an extension with a hook", false, true, "nothing"],
  ),
  ...rows(
    "Copilot CLI",
    ["`COPILOT_ALLOW_ALL`, or `copilot --allow-all-tools`", false, false, "nothing"],
    ["a hook in the project's `.github/hooks`", false, true, "NOT KNOWN"],
    ["a hook in `~/.copilot/hooks`", false, false, "nothing"],
  ),
  ...rows(
    "OpenCode",
    ["a plugin in the project", false, true, "NOT KNOWN"],
    ["a plugin of the user", false, true, "nothing"],
    ["a plugin of the user, loaded before drwn's", false, false, "nothing"],
    ["a plugin that `plugin` in the project's `opencode.json` names", false, false, "nothing"],
    ["a plugin that replaces what starts programs", false, false, "nothing"],
  ),
];
