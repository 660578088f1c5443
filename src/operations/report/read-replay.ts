import path from "node:path";
import { readFormat } from "../../format/read.ts";
import { lazily } from "../../format/schema.ts";
import * as z from "../../format/zod.ts";
import type { Host } from "../../kernel/host.ts";

const count = z.number().int().min(0);
const rate = z.number().min(0).max(1);
const ruled = { verdict: z.enum(["allow", "ask", "deny", "rewrite"]), by: z.string().nullable(), reason: z.string() };

const replay = lazily(() =>
  z.object({
    calls: count,
    sessions: count,
    agents: z.array(z.string()),
    denied: count,
    deniedThatRan: count,
    asked: count,
    rewritten: count,
    rate,
    rateAtMost: rate,
    policies: z.record(z.string(), z.object({ asked: count, deny: count, ask: count, rewrite: count })),
    left: z.record(z.string(), count),
    found: z.array(
      z.object({
        ...ruled,
        at: z.string(),
        agent: z.string(),
        folder: z.string().nullable(),
        tool: z.string(),
        input: z.string(),
        outcome: z.enum(["ran", "failed", "refused", "unknown"]),
        against: z.object(ruled).nullable(),
      }),
    ),
    isCut: z.boolean(),
    isEnded: z.boolean(),
    hooks: z.array(z.string()),
    against: z.array(z.string()).nullable(),
    notReplayed: z.array(z.object({ hook: z.string(), why: z.string() })),
    since: z.string(),
    project: z.string().nullable(),
  }),
);

/** The part of a replay that a page shows. */
export type ShownReplay = z.infer<ReturnType<typeof replay>>;

/** Reads an answer of `drwn replay --json` from the file in which somebody kept it. */
export function readReplay(host: Host, file: string): ShownReplay {
  return readFormat(path.resolve(host.cwd, file), replay(), { maximumBytes: 64 * 1024 * 1024 });
}
