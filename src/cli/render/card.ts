import { clean, plural } from "../../kernel/text.ts";
import type { AnnotateResult } from "../../operations/author/annotate.ts";
import type { SourceEdit } from "../../operations/author/edit-source.ts";
import type { PackedReport, PublishedReport } from "../../operations/author/publish.ts";
import type { verifyLog } from "../../operations/diagnose/log.ts";
import type { exportKey } from "../../operations/machine/keys.ts";
import { type CommandAnswer, type Console, EXIT } from "../terminal/console.ts";
import { sumUp } from "./card-test.ts";
import { renderHook } from "./hook.ts";
import { renderFinding } from "./problem.ts";

/** The files and hooks of a packed card. They are talk; the answer is the line about the result. */
export function renderPacked({ files, hooks, size, publisher, by }: PackedReport, { talk, style }: Console): void {
  for (const file of files) talk(style.dim(`  ${clean(file)}`));
  for (const hook of hooks) talk(`  ${renderHook(hook)}`);
  talk(`  ${plural(files.length, "file")}, ${size} bytes`);
  talk(publisher === null ? `  not signed${by === "agent" ? NOT_BY_AGENTS : ""}` : `  signed by ${clean(publisher)}`);
}

const NOT_BY_AGENTS = ": nothing is signed inside an agent's tool call, and this joins no consent by itself";

/** What a person should know about a card that carries their name. */
export function renderPublished(report: PublishedReport, console: Console): void {
  const { talk } = console;
  const { name, madeKey, changes, dryRun, tested, findings } = report;
  for (const one of findings) for (const line of renderFinding(one, console, { isTalk: true })) talk(line);
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

/** The answer of every command that annotates published versions. */
export function renderAnnotation(annotated: AnnotateResult, did: string): CommandAnswer {
  const { name, versions, registry } = annotated;
  return {
    json: annotated,
    print: ({ out }) => out(`${did} ${name}@${versions.join(", ")} in ${clean(registry)}`),
  };
}

/** Later faults only follow from the first ones. */
const MOST_SHOWN = 20;

/** Whether the journal is as the hook process wrote it. */
export function answerVerification(verification: ReturnType<typeof verifyLog>): CommandAnswer {
  const { ok, calls, faults, head, isComplete } = verification;
  return {
    json: verification,
    print: ({ out, talk, style }) => {
      for (const { kind, file, line, message } of faults.slice(0, MOST_SHOWN)) {
        const place = line === null ? clean(file, 1000) : `${clean(file, 1000)}:${line}`;
        out(`${style.bad(kind)} ${place}: ${message}`);
      }
      if (faults.length > MOST_SHOWN) out(`… and ${faults.length - MOST_SHOWN} more`);
      if (ok) out(style.good(`${plural(calls, "call")}, as written`));
      if (!isComplete) talk("Older calls were removed when the journal was rotated");
      if (head !== null) out(`head ${head}`);
    },
    exitCode: ok ? EXIT.done : EXIT.found,
  };
}

/** The answer of every command that edits a card source. `item` names what was edited: `{ hook: "guard" }`. */
export function answerEdit(
  { card, dryRun, changes }: SourceEdit,
  item: Readonly<Record<string, string>>,
  words: { done: string; would: string },
): CommandAnswer {
  return {
    json: { card, ...item, dryRun, changes },
    print: ({ out }) => {
      out(`${dryRun ? words.would : words.done} ${clean([...Object.values(item), "in", card].join(" "))}`);
      for (const { action, path } of changes) out(`  ${action.replace("-", " ")} ${clean(path, 2000)}`);
    },
  };
}

/** A key as others enter it, or its secret file, as a build machine needs it. */
export function answerKey({ keyFile, ...key }: ReturnType<typeof exportKey>): CommandAnswer {
  if (keyFile === null) return { json: key, print: ({ out }) => out(key.publisher) };
  return {
    json: JSON.parse(keyFile),
    print: ({ out, talk, style }) => {
      talk(`${style.warn("secret:")} whoever has this file publishes as ${key.scope}. Keep it with: chmod 600`);
      out(keyFile.trimEnd());
    },
  };
}

interface Deprecable {
  name: string;
  version: string;
  deprecated: string | null;
}

/** One line for each card whose publisher says not to use it; the publisher's words are cleaned and quoted, and stay as they are. */
export function warnOfDeprecation(cards: readonly Deprecable[], console: Console): void {
  const { talk, style } = console;
  for (const { name, version, deprecated } of cards) {
    if (deprecated === null) continue;
    talk(`${style.warn("warning:")} ${clean(name)}@${clean(version)} is deprecated: “${clean(deprecated)}”`);
  }
}
