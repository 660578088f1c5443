import { spawn } from "node:child_process";
import * as z from "../../format/zod.ts";
import { endGroup } from "../../kernel/program.ts";
import { traceProcess } from "../../kernel/trace.ts";

const PATIENCE_MS = 10_000;
const MOST_BYTES = 4 * 1024 * 1024;

const listing = z.looseObject({
  hooks: z.array(
    z.looseObject({
      command: z.string().nullish(),
      trustStatus: z.string(),
      enabled: z.boolean().optional(),
      eventName: z.string().optional(),
    }),
  ),
  warnings: z.array(z.unknown()).optional(),
  errors: z.array(z.unknown()).optional(),
});

/** What Codex itself says about the hooks that it found for a folder. */
export type CodexHooks = z.infer<typeof listing>;

/** Why Codex gave no answer. */
export type NoCodexAnswer = "not-installed" | "no-answer";

interface Question {
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the session. */
  cwd: string;
}

/**
 * Asks the user's Codex for the hooks of a folder, with `hooks/list` of its app server, which starts no session and
 * uses no network. It writes nothing: only the user decides what Codex trusts.
 */
export function listCodexHooks({ env, cwd }: Question): Promise<CodexHooks | NoCodexAnswer> {
  return new Promise((resolve) => {
    const ended = traceProcess("codex", ["app-server"]);
    const child = spawn("codex", ["app-server"], {
      cwd,
      env: { ...env },
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    const finish = (answer: CodexHooks | NoCodexAnswer): void => {
      clearTimeout(timer);
      endGroup(child.pid);
      ended(typeof answer === "string" ? answer : 0);
      resolve(answer);
    };
    const timer = setTimeout(() => finish("no-answer"), PATIENCE_MS);
    const send = (message: object): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    };
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.length > MOST_BYTES) finish("no-answer");
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        const message = readMessage(text.slice(0, end));
        text = text.slice(end + 1);
        if (message?.id === 1) {
          send({ method: "initialized" });
          send({ id: 2, method: "hooks/list", params: { cwds: [cwd] } });
        }
        if (message?.id === 2) finish(readListing(message.result));
      }
    });
    child.stdin.on("error", () => {});
    child.on("error", () => finish("not-installed"));
    child.on("close", () => finish("no-answer"));
    send({ id: 1, method: "initialize", params: { clientInfo: { name: "drwn", version: "1" } } });
  });
}

const envelope = z.looseObject({ id: z.number().optional(), result: z.unknown().optional() });

function readMessage(line: string): z.infer<typeof envelope> | undefined {
  try {
    return envelope.safeParse(JSON.parse(line)).data;
  } catch {
    // Something that it prints outside the protocol.
    return undefined;
  }
}

function readListing(result: unknown): CodexHooks | NoCodexAnswer {
  const parsed = z.looseObject({ data: z.array(listing).min(1) }).safeParse(result);
  return parsed.data?.data[0] ?? "no-answer";
}
