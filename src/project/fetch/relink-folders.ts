import path from "node:path";
import { advise, drwn, type Text } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { type Finding, isProblem, type Problem, type ProblemCode } from "../../kernel/problem.ts";
import { shellQuote } from "../../kernel/text.ts";
import { type LockedCard, writeLock } from "../lock.ts";
import type { OpenProject } from "../open/open-project.ts";
import { lockCard, resolveRequested } from "./lock-card.ts";

/**
 * Looks again at the cards that are linked from folders, and locks what is in them now. A changed card is another tree,
 * so its hooks wait for a person while the last approved ones stay in force. Skips a folder that isn't on this machine:
 * what is locked stays. Answers with the project and its new lock.
 */
export async function relinkFolders(host: Host, project: OpenProject): Promise<OpenProject> {
  const { root, lock } = project;
  const changed = new Map<string, LockedCard>();
  for (const { locked, outcome } of await lookAtFolders(host, project)) {
    if ("problem" in outcome) {
      if (!PASSED_OVER.has(outcome.problem.code)) throw outcome.problem;
    } else if (outcome.tree !== locked.tree) {
      const asked = { name: locked.name, request: locked.range };
      changed.set(locked.name, (await lockCard({ host, base: root }, asked, lock.cards)).locked);
    }
  }
  if (changed.size === 0) return project;
  const relinked = { ...lock, cards: lock.cards.map((card) => changed.get(card.name) ?? card) };
  writeLock(root, relinked);
  return { ...project, lock: relinked };
}

/** If a folder is gone, or somebody is working in it, what is locked stays and is still approved. */
const PASSED_OVER: ReadonlySet<ProblemCode> = new Set<ProblemCode>(["DRWN_SOURCE_MISSING", "DRWN_INDEX_STALE"]);

export const LINK_CHANGED = "linked-card-changed";

/** What `relinkFolders` would find. Stores nothing. */
export async function checkLinks(host: Host, project: OpenProject): Promise<Finding[]> {
  const { root } = project;
  return (await lookAtFolders(host, project)).flatMap(({ locked, outcome }): Finding[] => {
    const about = { severity: "warning", subject: locked.name } as const;
    if ("problem" in outcome) {
      const { code, message, hint = null } = outcome.problem;
      if (code === "DRWN_INDEX_STALE")
        return [{ ...about, code: LINK_EDITED, message: EDITED, hint: fixing(root, locked) }];
      const isGone = code === "DRWN_SOURCE_MISSING";
      return [{ ...about, severity: isGone ? "warning" : "error", code: "linked-card-unusable", message, hint }];
    }
    if (outcome.tree === locked.tree) return [];
    const message = `its folder (${locked.source}) has changed since it was locked`;
    return [{ ...about, code: LINK_CHANGED, message, hint: drwn("write") }];
  });
}

/** A linked folder was edited, but nobody has indexed it since. */
export const LINK_EDITED = "linked-card-edited";
const EDITED = "its folder was edited, but its index is from before that: what was locked last stays";

function fixing(root: string, { source }: LockedCard): Text {
  const folder = path.resolve(root, source.replace(/^file:/u, ""));
  return advise`drwn card source doctor ${shellQuote(folder)} && ${drwn("write")}`;
}

interface Looked {
  locked: LockedCard;
  outcome: { tree: string } | { problem: Problem };
}

async function lookAtFolders(host: Host, { root, config, lock }: OpenProject): Promise<Looked[]> {
  const linked = lock.cards.filter(
    ({ name, range, source }) => source.startsWith("file:") && config.cards[name] === range,
  );
  const looked: Looked[] = [];
  for (const locked of linked) {
    try {
      const asked = { name: locked.name, request: locked.range };
      const { published } = await resolveRequested({ host, base: root }, asked);
      looked.push({ locked, outcome: { tree: published.tree } });
    } catch (error) {
      if (!isProblem(error)) throw error;
      looked.push({ locked, outcome: { problem: error } });
    }
  }
  return looked;
}
