import fs from "node:fs";
import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { shellQuote } from "../kernel/text.ts";
import { findForgedCode } from "../materialize/kept-code.ts";
import { findForgedShards } from "../materialize/kept-shards.ts";
import { recordedNode } from "../workspace/system-host.ts";
import { faultFinding, type GuardFault, NOT_WRITTEN } from "./fault.ts";

/**
 * V8 trusts the code it kept. This makes that code again with the same Node: what the hook would take must be the same.
 */
export async function checkKeptCode({
  drwnHome: home,
  nodePath,
}: Pick<Host, "drwnHome" | "nodePath">): Promise<GuardFault[]> {
  if (!fs.existsSync(layout.hook(home))) return [];
  // `checkProgram` reports a Node that cannot make it.
  const node = recordedNode(home) ?? nodePath;
  const searches = [findForgedCode(home, node), findForgedShards(home, node)];
  const forged = (await Promise.all(searches.map((search) => search.catch(() => [])))).flat();
  const message = "the code that V8 keeps of the hook process isn't what V8 makes of it";
  return forged.map((file) => ({
    comesTo: "hides",
    finding: faultFinding(NOT_WRITTEN, file, message, `rm -f ${shellQuote(file)} && drwn write`),
  }));
}
