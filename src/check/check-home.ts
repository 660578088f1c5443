import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { isManagedHome } from "../contract/scopes.ts";
import { advise, drwn, type Text } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import { recordedNode } from "../project/open/managed-host.ts";
import { isInside } from "../wiring/file-location.ts";
import { findForgedCode } from "../write/code-cache.ts";
import { whyOpen } from "../write/program.ts";
import { faultFinding, type GuardFault, NOT_WRITTEN } from "./fault.ts";

/**
 * Whether another user of this machine could take every guard away or run programs as this user, by changing the
 * launcher, what it starts, or the records by which it knows projects.
 */
export function checkHome(home: string): GuardFault[] {
  const bin = path.dirname(layout.launcher(home));
  const programs = fs.existsSync(bin) ? fs.readdirSync(bin).map((name) => path.join(bin, name)) : [];
  const places = [home, bin, layout.roots(home), layout.inodes(home), layout.projects(home), ...programs];
  for (const file of places) {
    const why = whyOpen(file, home);
    if (why === undefined) continue;
    const message = `${clean(file, 1000)} ${why}, who could take your guards away and run programs as you`;
    return [{ comesTo: "opens", finding: faultFinding("home-open", file, message, hintFor(file, home)) }];
  }
  return [];
}

export function hintFor(file: string, home: string): Text {
  // `write` puts a new file in its place.
  if (file === layout.launcher(home) || file.endsWith(".cjs")) return drwn("write");
  if (fs.lstatSync(file).isSymbolicLink()) return advise`rm ${shellQuote(file)} && ${drwn("write")}`;
  const owner = isManagedHome(home) ? 0 : process.getuid?.();
  const place = shellQuote(file);
  if (fs.statSync(file).uid === owner)
    return `see who changed it, then: chmod ${isInside(home, file) ? `-R go-w ${shellQuote(home)}` : `go-w ${place}`}`;
  return `look at what is in it, then: sudo chown -h ${owner} ${place} && sudo chmod go-w ${place}`;
}

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
