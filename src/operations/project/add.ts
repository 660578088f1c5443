import fs from "node:fs";
import path from "node:path";
import { publishedFirst } from "../../authoring/find-source.ts";
import { codeSkillsOf } from "../../card/skill/skill-code.ts";
import { parseTypedCard } from "../../card/spec.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { editConfig, withCard } from "../../project/config.ts";
import { applyYanks, lockCard } from "../../project/fetch/lock-card.ts";
import { pinPublishers } from "../../project/fetch/restore-card.ts";
import { editLock, type LockedCard } from "../../project/lock.ts";
import { readInstalled } from "../../project/open/installed-card.ts";
import { commitProject, type OpenProject, withProject } from "../../project/open/open-project.ts";

export interface AddResult {
  cards: AddedCard[];
}

export interface AddedCard {
  name: string;
  version: string;
  range: string;
  before: string | null;
  hooks: number;
  /** Skills that would make an agent do something by themselves: like hooks, they need a consent. */
  codeSkills: string[];
  /** Why its publisher says not to use it; null: the publisher doesn't say so. */
  deprecated: string | null;
}

/**
 * Resolves, fetches, verifies, stores and locks the cards: all of them, or none. Runs nothing in a card. A card without
 * a range or a source is asked for as `^version`.
 */
export async function addCards(host: Host, specs: readonly string[]): Promise<AddResult> {
  const parsed = specs.map(parseTypedCard);
  refuseTwice(parsed.map(({ name }) => name));
  return withProject(host, async (project) => {
    const { root, lock } = project;
    const cwd = fs.realpathSync(host.cwd);
    const fetched: FetchedLock[] = [];
    for (const { name, request } of parsed) {
      const asked = { name, request: fromProject(request, cwd, project) };
      const one = await publishedFirst(host, name, () => lockCard({ host, base: root }, asked, lock.cards));
      fetched.push(one);
    }
    refuseTwice(fetched.map(({ locked }) => locked.name));
    let { config } = project;
    let { cards } = project.lock;
    for (const { locked } of fetched) {
      config = withCard(config, locked.name, locked.range);
      const at = cards.findIndex(({ name }) => name === locked.name);
      cards = at < 0 ? [...cards, locked] : cards.with(at, locked);
    }
    await pinPublishers(
      host,
      fetched.map(({ locked }) => locked),
    );
    commitProject(host, project, [editLock(root, { ...lock, cards }), editConfig(root, config)]);
    applyYanks(host, project);
    const before = new Map(project.lock.cards.map(({ name, version }) => [name, version]));
    return { cards: fetched.map((one) => describe(host, one, before.get(one.locked.name) ?? null)) };
  });
}

function refuseTwice(names: readonly (string | null)[]): void {
  const twice = names.find((name, at) => name !== null && names.indexOf(name) < at);
  if (twice !== undefined) throw new Problem("DRWN_SPEC_INVALID", `${twice} is asked for twice`);
}

/** A path that was typed in the current folder, as config.json has it: relative to the project. */
function fromProject(request: string | null, cwd: string, { root, isGlobal }: OpenProject): string | null {
  const typed = request === null ? undefined : /^file:(?!\/)(.*)$/su.exec(request)?.[1];
  if (typed === undefined) return request;
  if (isGlobal) return `file:${path.resolve(cwd, typed)}`;
  const relative = path.relative(root, path.resolve(cwd, typed));
  return `file:${relative.startsWith("..") ? relative : `./${relative}`}`;
}

interface FetchedLock {
  locked: LockedCard;
  deprecated: string | null;
}

function describe({ drwnHome: home }: Host, { locked, deprecated }: FetchedLock, before: string | null): AddedCard {
  const { name, version, range, hooks } = locked;
  const { files, manifest } = readInstalled(home, locked);
  const codeSkills = codeSkillsOf(files, manifest).map((skill) => skill.name);
  return { name, version, range, before, hooks: hooks.length, codeSkills, deprecated };
}
