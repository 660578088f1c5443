import { flush } from "@oclif/core/flush";
import type { PJSON } from "@oclif/core/interfaces";
import { run } from "@oclif/core/run";
import { packageFile } from "../kernel/package-file.ts";

/** What is left to oclif: help, mistakes, and what its plugins bring. It ends `--help` by throwing. */
export async function runOclif(argv: string[], pjson: PJSON): Promise<void> {
  // It prints through Node's streams, which tell by an event, and by nothing else, of a reader that is gone.
  const ended = new Promise<void>((resolve, reject) => {
    process.stdout.on("error", (error: NodeJS.ErrnoException) => (error.code === "EPIPE" ? resolve() : reject(error)));
  });
  await Promise.race([runToEnd(argv, pjson), ended]);
}

async function runToEnd(argv: string[], pjson: PJSON): Promise<void> {
  try {
    await run(argv, { root: packageFile(""), pjson });
  } catch (error) {
    if (!isCleanExit(error)) throw error;
  }
  await flush();
}

function isCleanExit(error: unknown): boolean {
  return error instanceof Error && "oclif" in error && (error.oclif as { exit?: number }).exit === 0;
}
