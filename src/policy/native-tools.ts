/** The systems with their own names for tools: for each, the tools that have a canonical name. */
export const NATIVE_TOOLS = {
  arawn: {
    file_edit: "Edit",
    file_read: "Read",
    file_write: "Write",
    shell: "Bash",
    web_fetch: "WebFetch",
  },
  astrid: { shell: "Bash", bash: "Bash" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type NativeTools = keyof typeof NATIVE_TOOLS;

interface ReportedTool {
  /** The agent in which it is called. */
  runtime: string;
  /** The name by which all agents know it. */
  canonical: string;
  /** The agent's own name for it. */
  reported: string;
}

/**
 * The names by which hooks of a system know a tool, the usual one first: in the system itself, the name that it sent;
 * in other agents, the system's names for such a tool, or the canonical name if it has none.
 */
export function nativeNames(system: NativeTools, { runtime, canonical, reported }: ReportedTool): readonly string[] {
  if (runtime === system) return [reported];
  const names = namesFor(system, canonical);
  return names.length === 0 ? [canonical] : names;
}

/** A system's own names for the tool with this canonical name. */
function namesFor(system: NativeTools, canonical: string): string[] {
  return Object.entries(NATIVE_TOOLS[system]).flatMap(([own, name]) => (name === canonical ? [own] : []));
}
