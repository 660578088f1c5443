import fs from "node:fs";
import { layout } from "../contract/layout.ts";
import { advise, drwn } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { shellQuote } from "../kernel/text.ts";
import { findForgedCode } from "../materialize/code-cache.ts";
import { recordedNode } from "../workspace/managed-host.ts";
import { faultFinding, type GuardFault, NOT_WRITTEN } from "./fault.ts";

/**
 * V8 trusts cached code. This makes it again with the same Node: what the hook would take must be the same.
 */
export async function checkCodeCache({
  drwnHome: home,
  nodePath,
}: Pick<Host, "drwnHome" | "nodePath">): Promise<GuardFault[]> {
  if (!fs.existsSync(layout.hook(home))) return [];
  // `checkProgram` reports a Node that cannot make it.
  const node = recordedNode(home) ?? nodePath;
  const forged = await findForgedCode(home, node).catch(() => []);
  const message = "the cached code of the hook process isn't what V8 makes of it";
  return forged.map((file) => ({
    comesTo: "hides",
    finding: faultFinding(NOT_WRITTEN, file, message, advise`rm -f ${shellQuote(file)} && ${drwn("write")}`),
  }));
}
