import { clean, plural } from "../../kernel/text.ts";
import type { PackedReport, PublishedReport } from "../../operations/author/publish.ts";
import type { Console } from "../terminal/console.ts";
import { renderHook } from "./hook.ts";
import { sumUp } from "./proving/proof.ts";

/** The files and hooks of a packed card. They are talk; the answer is the line about the result. */
export function renderPacked(
  { files, hooks, size, tree, publisher, by }: PackedReport,
  { talk, style }: Console,
): void {
  for (const file of files) talk(style.dim(`  ${clean(file)}`));
  for (const hook of hooks) talk(`  ${renderHook(hook)}`);
  talk(`  ${plural(files.length, "file")}, ${size} bytes, ${clean(tree)}`);
  talk(publisher === null ? `  not signed${by === "agent" ? NOT_BY_AGENTS : ""}` : `  signed by ${clean(publisher)}`);
}

const NOT_BY_AGENTS = ": nothing is signed inside an agent's tool call, and this joins no consent by itself";

/** What a person should know about a card that carries their name. */
export function renderPublished(report: PublishedReport, { talk, style }: Console): void {
  const { name, madeKey, changes, dryRun, tested, findings } = report;
  for (const { severity, message } of findings) talk(`${style.warn(severity)}: ${clean(message, 2000)}`);
  const [scope = ""] = name.split("/");
  if (madeKey !== null) {
    talk(`Made a key that signs the cards of ${clean(scope)}: ${clean(madeKey)}; back it up`);
  }
  for (const { name: hook, notRun, ...tried } of tested) {
    if (notRun !== null) talk(`${clean(hook)}: ${plural(tried.cases, "case")}, not run: ${clean(notRun)}`);
    else if (tried.cases > 0) talk(`${clean(hook)}: ${sumUp(tried)}`);
  }
  if (changes === null) return;
  const { since, files } = changes;
  talk(`${dryRun ? "Would differ" : "Differs"} from ${clean(since)} in ${plural(files.length, "file")}`);
  for (const { path, change, lines } of files) {
    const size = lines === null ? "" : ` (+${lines.added} −${lines.removed})`;
    talk(`  ${change} ${clean(path)}${size}`);
  }
}
