import { drwn, sayIn } from "../kernel/advice.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { type WriteResult, writeProject } from "../operations/project/write.ts";
import type { Host } from "./command.ts";

/** Writes right after somebody has consented: if that fails, they must know that the consent is recorded all the same. */
export async function writeAfterConsent(host: Host, consented: readonly unknown[]): Promise<WriteResult> {
  try {
    return await writeProject(host, { wiring: undefined });
  } catch (error) {
    if (!isProblem(error) || consented.length === 0) throw error;
    const { code, message, details, hint } = error;
    const recorded = `your consent is recorded; nothing is written to the agents yet. Then: ${sayIn(host.scope, drwn("write"))}`;
    throw new Problem(code, message, {
      details: [...details, recorded],
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  }
}
