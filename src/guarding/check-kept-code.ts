import fs from "node:fs";
import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { shellQuote } from "../kernel/text.ts";
import { findForgedCode } from "../materialize/kept-code.ts";
import { recordedNode } from "../workspace/system-host.ts";
import { faultFinding, type GuardFault, NOT_WRITTEN } from "./fault.ts";

/** V8 believes what it kept: this Node makes it once more, and what the hook would take has to be the same. */
export async function checkKeptCode({
  drwnHome: home,
  nodePath,
}: Pick<Host, "drwnHome" | "nodePath">): Promise<GuardFault[]> {
  if (!fs.existsSync(layout.hook(home))) return [];
  // Of a Node that cannot make it more is said elsewhere.
  const forged = await findForgedCode(home, recordedNode(home) ?? nodePath).catch(() => []);
  const message = "the code that V8 keeps of the hook process isn't what V8 makes of it";
  return forged.map((file) => ({
    comesTo: "hides",
    finding: faultFinding(NOT_WRITTEN, file, message, `rm -f ${shellQuote(file)} && drwn write`),
  }));
}
