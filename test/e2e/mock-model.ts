import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { google } from "./google.ts";
import { responses } from "./responses.ts";
import { type Conversation, callsOf, type Script, type Step, sendJson, type WireFormat } from "./wire-format.ts";

/** A hook that never lets an agent stop must not keep a case running for ever. */
const MOST_TURNS = 100;
const FORMATS: readonly WireFormat[] = [anthropic, responses, chat, google];

/** One request to the model. A side request asks for a title or a summary and isn't part of the script. */
export interface Turn extends Conversation {
  isSide: boolean;
  /** Whether a subagent sent it. */
  isSub: boolean;
  body: unknown;
}

/** What a subagent of the conversation does. Its task identifies it: a text that is nowhere else. */
export interface Subscript {
  task: string;
  steps: readonly Step[];
}

/** A run of a client, as its model saw it. */
export interface ModelRun {
  /** Everything that it was asked. */
  all: Turn[];
  /** The requests of the conversation itself. A side request may come before, between or after them. */
  turns: Turn[];
  /** The requests of a subagent. */
  subturns: Turn[];
  /** What the model was told about each tool call, from the last request's history. */
  results: Turn["results"];
}

function sumUp(all: Turn[]): ModelRun {
  const asked = all.filter(({ isSide }) => !isSide);
  const turns = asked.filter(({ isSub }) => !isSub);
  return { all, turns, subturns: asked.filter(({ isSub }) => isSub), results: turns.at(-1)?.results ?? [] };
}

export interface MockModel {
  url: string;
  /** What the model has seen so far; it grows while the client runs. */
  seen: () => ModelRun;
  close: () => Promise<void>;
}

/**
 * A scripted stand-in for a model, on 127.0.0.1 only. It keeps no position in the script: the tool calls in the
 * request's history decide which step it plays, so retries and side requests cannot put it out of step.
 */
export function startMockModel(steps: Script, subagent?: Subscript): Promise<MockModel> {
  const turns: Turn[] = [];
  const server = http.createServer((request, response) => {
    play({ request, response, steps, subagent, turns }).catch((error) => {
      // The client would retry for minutes; a 400 ends its run, and then the case fails.
      sendJson(response, { type: "error", error: { type: "invalid_request_error", message: String(error) } }, 400);
    });
  });
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      resolve({ url: `http://127.0.0.1:${port}`, seen: () => sumUp(turns), close: () => closeServer(server) });
    });
  });
}

/** The step to play when `played` tool calls of the script are in the history. */
export function stepAt(steps: readonly Step[], played: number): Step {
  let before = 0;
  for (const step of steps) {
    const calls = callsOf(step).length;
    if (calls === 0 ? played <= before : played < before + calls) return step;
    before += calls;
  }
  return { text: "done" };
}

interface Play {
  request: IncomingMessage;
  response: ServerResponse;
  steps: Script;
  subagent: Subscript | undefined;
  turns: Turn[];
}

async function play({ request, response, steps, subagent, turns }: Play): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const url = request.url ?? "";
  const format = request.method === "POST" ? FORMATS.find(({ route }) => route.test(url)) : undefined;
  if (format === undefined) return sendJson(response, {}, request.method === "HEAD" ? 200 : 404);
  if (turns.length >= MOST_TURNS) throw new Error(`more than ${MOST_TURNS} requests`);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const conversation = format.read(body);
  const isSide = conversation.tools.length === 0;
  const played = conversation.calls.length;
  const isSub = subagent !== undefined && isAbout(subagent.task, conversation, body);
  turns.push({ ...conversation, isSide, isSub, body });
  const ownScript = typeof steps === "function" ? steps(conversation.results) : steps;
  const script = isSub ? subagent.steps : ownScript;
  format.answer(response, body, { step: isSide ? { text: "ok" } : stepAt(script, played), played, url });
}

/** The agent that gave the task has it among its own calls. */
function isAbout(task: string, { calls }: Conversation, body: unknown): boolean {
  return JSON.stringify(body).includes(task) && !JSON.stringify(calls).includes(task);
}

function closeServer(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
