import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { isManagedHome } from "../contract/managed-home.ts";
import { advise, drwn, type Text } from "../kernel/advice.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import { whyOpen } from "../materialize/open-file.ts";
import { faultFinding, type GuardFault } from "./fault.ts";

/**
 * Whether another user of this machine could take every guard away or run programs as this user, by changing the
 * launcher, what it starts, or the records by which it knows projects.
 */
export function checkHome(home: string): GuardFault[] {
  const bin = path.dirname(layout.launcher(home));
  const programs = fs.existsSync(bin) ? fs.readdirSync(bin).map((name) => path.join(bin, name)) : [];
  const places = [home, bin, layout.roots(home), layout.places(home), layout.projects(home), ...programs];
  for (const file of places) {
    const why = whyOpen(file, home);
    if (why === undefined) continue;
    const message = `${clean(file, 1000)} ${why}, who could take your guards away and run programs as you`;
    return [{ comesTo: "opens", finding: faultFinding("home-open", file, message, hintFor(file, home)) }];
  }
  return [];
}

function hintFor(file: string, home: string): Text {
  // `write` puts a new file in its place.
  if (file === layout.launcher(home) || file.endsWith(".cjs")) return drwn("write");
  if (fs.lstatSync(file).isSymbolicLink()) return advise`rm ${shellQuote(file)} && ${drwn("write")}`;
  const owner = isManagedHome(home) ? 0 : process.getuid?.();
  if (fs.statSync(file).uid === owner) return `see who changed it, then: chmod -R go-w ${shellQuote(home)}`;
  const place = shellQuote(file);
  return `look at what is in it, then: sudo chown -h ${owner} ${place} && sudo chmod go-w ${place}`;
}
