import type { LifecycleEvent } from "./lifecycle-events.ts";

/** Canonical names of tools, by Polytoken's own names. */
export const POLYTOKEN_TOOLS: Readonly<Record<string, string>> = {
  file_edit_search_replace: "Edit",
  file_read: "Read",
  file_write: "Write",
  shell_exec: "Bash",
  web_fetch: "WebFetch",
};

/**
 * The name by which Polytoken's hooks know the tool with this canonical name: Polytoken's own, if it has such a tool.
 */
export function polytokenToolName(canonical: string): string {
  return Object.entries(POLYTOKEN_TOOLS).find(([, name]) => name === canonical)?.[0] ?? canonical;
}

type Fields = Readonly<Record<string, string>>;

const TOOL = { toolName: "tool_name", toolInput: "input" } as const;

/** Polytoken's own name for each field of an event's input. */
export const POLYTOKEN_FIELDS = {
  "session.start": { source: "source", model: "model" },
  "prompt.submit": { prompt: "prompt" },
  "model.before": { prompt: "prompt" },
  "model.after": { response: "response" },
  "tool.after": { ...TOOL, output: "output" },
  "tool.failure": { ...TOOL, error: "error" },
  "turn.stop": { lastMessage: "response" },
  "compact.before": { trigger: "trigger" },
  "compact.after": { summary: "summary" },
  "subagent.start": { type: "subagent_type" },
  "subagent.stop": { type: "subagent_type" },
  notify: { message: "message" },
  "facet.switch": { facet: "facet" },
} as const satisfies { readonly [E in LifecycleEvent]?: Fields };

export function polytokenFieldName(event: LifecycleEvent, field: string): string {
  const all: { readonly [E in LifecycleEvent]?: Fields } = POLYTOKEN_FIELDS;
  const names = all[event] ?? {};
  return (Object.hasOwn(names, field) ? names[field] : undefined) ?? field;
}
