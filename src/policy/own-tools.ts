/** The systems whose hooks know tools by names of their own: each with the tools that have a canonical name. */
export const OWN_TOOLS = {
  arawn: {
    file_edit: "Edit",
    file_read: "Read",
    file_write: "Write",
    shell: "Bash",
    web_fetch: "WebFetch",
  },
  astrid: { shell: "Bash", bash: "Bash" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type OwnTools = keyof typeof OWN_TOOLS;

interface ToldTool {
  /** The agent in which it is called. */
  runtime: string;
  /** The name by which all agents know it. */
  canonical: string;
  /** The agent's own name of it. */
  told: string;
}

/**
 * The names by which hooks of a system know a tool, the usual one first: in the system itself the one that it told; in other agents
 * those that the system has for such a tool, or the tool's own name where it has none.
 */
export function ownNames(system: OwnTools, { runtime, canonical, told }: ToldTool): readonly string[] {
  if (runtime === system) return [told];
  const names = namesFor(system, canonical);
  return names.length === 0 ? [canonical] : names;
}

/** A system's own names of the tool that all agents know by this one. */
function namesFor(system: OwnTools, canonical: string): string[] {
  return Object.entries(OWN_TOOLS[system]).flatMap(([own, name]) => (name === canonical ? [own] : []));
}
