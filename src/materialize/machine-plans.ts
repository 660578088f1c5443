import { layout } from "../contract/layout.ts";
import { readFormat } from "../format/read.ts";
import { z } from "../format/schema.ts";
import { listFolder } from "../kernel/atomic.ts";
import { isProblem } from "../kernel/problem.ts";
import { readLedger } from "../trust/ledger-file.ts";
import type { WantingPolicy } from "./wanted.ts";
import { readWritten } from "./written.ts";

/** Of a plan, only what says which events its project needs. The hook process checks the rest, and its digest. */
const wantingPlan = z.object({
  policies: z.array(z.object({ matcher: z.string().nullable(), phases: z.array(z.enum(["pre-tool", "post-tool"])) })),
});

const EVERY_CALL: WantingPolicy = { matcher: null, phases: ["pre-tool"] };

/**
 * What the other projects need that share the user's own settings of an agent. A project whose ledger or plan cannot be read
 * needs every call: its hook must be started in order to block.
 */
export function readOtherPolicies(home: string, exceptKey: string): WantingPolicy[] {
  return listFolder(layout.ledgers(home)).flatMap((name) => {
    const key = name.replace(/\.json$/u, "");
    if (key === exceptKey || key === name || name.startsWith(".")) return [];
    try {
      if (readWritten(home, key).wiring !== "user") return [];
      const digest = readLedger(home, key)?.plan ?? null;
      return digest === null ? [] : readFormat(layout.plan(home, key, digest), wantingPlan).policies;
    } catch (error) {
      if (isProblem(error)) return [EVERY_CALL];
      throw error;
    }
  });
}
