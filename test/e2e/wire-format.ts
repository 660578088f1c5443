import type { ServerResponse } from "node:http";

/** What the scripted model says next: one tool call, several at once, or a text that ends the turn. */
export type Step = ToolCall | { tools: ToolCall[] } | { text: string };

/** What the model says in turn. A function, where a later call needs what an earlier one answered. */
export type Script = readonly Step[] | ((results: Conversation["results"]) => readonly Step[]);

export interface ToolCall {
  tool: string;
  /** Text for a tool that takes text. */
  input: Record<string, unknown> | string;
  /** Where the client groups its tools. */
  namespace?: string;
}

/** What a request to the model shows of the conversation so far. */
export interface Conversation {
  /** Names of the tools that the client offers; none in a side request, such as for a title. */
  tools: string[];
  calls: { id: string; name: string; input: unknown }[];
  results: { id: string; isError: boolean; text: string }[];
}

/** One vendor's protocol between client and model. Another client needs another one of these. */
export interface WireFormat {
  /** Matches the URL that the client posts to. */
  route: RegExp;
  read: (body: unknown) => Conversation;
  /** `played` counts the tool calls before this answer, for ids that don't repeat. */
  answer: (response: ServerResponse, body: unknown, reply: { step: Step; played: number; url: string }) => void;
}

export function callsOf(step: Step): ToolCall[] {
  if ("tools" in step) return step.tools;
  return "tool" in step ? [step] : [];
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** Server-sent events, each named by the `type` of its data. */
export function sendEvents(response: ServerResponse, events: readonly ({ type: string } & object)[]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
