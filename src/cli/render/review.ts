import type { Capability } from "../../contract/plan.ts";
import { clean, plural } from "../../kernel/text.ts";
import { describeDifference, type Review, type ReviewedHook } from "../../operations/trust.ts";
import type { Style } from "../style.ts";

/** What a person reads before a consent. All that the card says of itself is cleaned and quoted. */
export function renderReview(review: Review, style: Style): string[] {
  const { card, version, source, tree, range, description, hooks } = review;
  const title = `${plural(hooks.length, "hook policy", "hook policies")} of ${clean(card)}@${clean(version)}`;
  return [
    style.bold(title),
    ...(description === "" ? [] : [`  says of itself: ${quote(description)}`]),
    `  from          ${clean(source)}`,
    ...renderPublisher(review, style),
    `  contents      ${clean(tree)}`,
    `  consent for   ${clean(range)}: a later version in this range that differs in none of the facts below joins by itself`,
    ...hooks.flatMap((hook) => renderHook(hook, style)),
    ...renderDifferences(review, style),
    "",
  ];
}

function renderPublisher({ publisher, formerPublisher, replaces }: Review, style: Style): string[] {
  const shown = (key: string | null) => (key === null ? "not signed" : clean(key));
  const line = `  publisher     ${shown(publisher)}`;
  if (replaces === null || publisher === formerPublisher) return [line];
  return [line, style.warn(`                not who the consent is for so far: ${shown(formerPublisher)}`)];
}

function renderHook(hook: ReviewedHook, style: Style): string[] {
  const { name, kind, matcher, phases, timeoutMs, capabilities, size, digest, files, summary } = hook;
  const effect =
    kind === "enforcement" ? "enforcement: a failure of it blocks the call" : "observer: its failures change nothing";
  return [
    "",
    `  ${style.bold(clean(name))}${summary === "" ? "" : ` ${quote(summary)}`}`,
    `    kind        ${effect}`,
    `    sees        ${matcher === null ? "every tool" : clean(matcher)}, ${phases.map(describePhase).join(" and ")}`,
    `    time        ${timeoutMs} ms`,
    `    may use     ${capabilities.length === 0 ? "nothing but the event" : capabilities.map((name) => CAPABILITY_MEANS[name]).join(", ")}`,
    `    source      ${plural(files.length, "file")}, ${size} bytes, ${clean(digest)}`,
    ...(capabilities.length === 0
      ? []
      : [
          `    ${style.warn("note")}        drwn does not confine these capabilities further: such a policy acts as you`,
        ]),
  ];
}

function renderDifferences({ differences, replaces }: Review, style: Style): string[] {
  if (replaces === null) return [];
  if (differences.length === 0) return ["", `  Replaces ${clean(replaces)}: the same facts, other code.`];
  return [
    "",
    style.warn(`  Differs from ${clean(replaces)}:`),
    ...differences.map((one) => `    ${clean(describeDifference(one))}`),
  ];
}

const CAPABILITY_MEANS: Readonly<Record<Capability, string>> = {
  env: "env (reads your environment variables)",
  exec: "exec (starts programs)",
  "fs-read": "fs-read (reads files)",
  "fs-write": "fs-write (writes files)",
  net: "net (the network)",
};

function describePhase(phase: "pre-tool" | "post-tool"): string {
  return phase === "pre-tool" ? "before the call" : "after the call";
}

function quote(text: string): string {
  return `“${clean(text, 120)}”`;
}
