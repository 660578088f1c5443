import { takesAllOf } from "../card/compare-matchers.ts";
import type { HookIndex, IndexedHook } from "../card/hooks/hook-index.ts";
import { type Manifest, skillsOf } from "../card/manifest.ts";

/** A change that a card's user notices. A version without any is a patch. */
export interface CardChange {
  bump: "major" | "minor";
  what: string;
}

interface Compared {
  manifest: Manifest;
  index: HookIndex;
}

export function listChanges(before: Compared, after: Compared): CardChange[] {
  return [
    ...changesOfNames("hook", namesOf(before.index.hooks), namesOf(after.index.hooks)),
    ...before.index.hooks.flatMap((hook) => {
      const now = after.index.hooks.find(({ name }) => name === hook.name);
      return now === undefined ? [] : changesOfHook(hook, now);
    }),
    ...changesOfPromise(before.manifest, after.manifest),
    ...changesOfNames("skill", skillsOf(before.manifest), skillsOf(after.manifest)),
    ...changesOfServers(before.manifest, after.manifest),
  ];
}

function changesOfHook(from: IndexedHook, to: IndexedHook): CardChange[] {
  const changes: CardChange[] = [];
  const note = (bump: CardChange["bump"], what: string) =>
    changes.push({ bump, what: `hook \`${from.name}\`: ${what}` });
  if (from.kind !== to.kind) note("major", `${from.kind} becomes ${to.kind}`);
  if (from.matcher !== to.matcher) {
    const bump = takesAllOf(to.matcher, from.matcher) === true ? "minor" : "major";
    note(bump, `the matcher ${from.matcher ?? "(every tool)"} becomes ${to.matcher ?? "(every tool)"}`);
  }
  const lost = from.phases.filter((phase) => !to.phases.includes(phase));
  const gained = to.phases.filter((phase) => !from.phases.includes(phase));
  if (lost.length > 0) note("major", `it leaves the phase ${lost.join(", ")}`);
  if (gained.length > 0) note("minor", `it joins the phase ${gained.join(", ")}`);
  const asked = to.capabilities.filter((capability) => !from.capabilities.includes(capability));
  if (asked.length > 0) note("minor", `it asks for ${asked.join(", ")}`);
  for (const [option, declared] of Object.entries(from.options ?? {})) {
    const now = to.options?.[option];
    if (now === undefined || now.type !== declared.type)
      note("major", `option \`${option}\` is gone, or of another type`);
  }
  const added = Object.keys(to.options ?? {}).filter((option) => !Object.hasOwn(from.options ?? {}, option));
  if (added.length > 0) note("minor", `it has the option ${added.join(", ")}`);
  if (to.timeoutMs > from.timeoutMs) note("minor", `it may take ${to.timeoutMs} ms instead of ${from.timeoutMs}`);
  return changes;
}

function changesOfNames(noun: string, before: readonly string[], after: readonly string[]): CardChange[] {
  const removed = before.filter((name) => !after.includes(name));
  const added = after.filter((name) => !before.includes(name));
  return [
    ...removed.map((name): CardChange => ({ bump: "major", what: `${noun} \`${name}\` is removed` })),
    ...added.map((name): CardChange => ({ bump: "minor", what: `${noun} \`${name}\` is added` })),
  ];
}

function changesOfPromise(before: Manifest, after: Manifest): CardChange[] {
  const from = before.hooks?.restrictOnly === true;
  const to = after.hooks?.restrictOnly === true;
  if (from === to) return [];
  return [{ bump: "major", what: to ? "it can only say no" : "it can do more than say no" }];
}

function changesOfServers(before: Manifest, after: Manifest): CardChange[] {
  const from = before.servers ?? {};
  const to = after.servers ?? {};
  const changed = Object.keys(from).filter(
    (name) => Object.hasOwn(to, name) && JSON.stringify(from[name]) !== JSON.stringify(to[name]),
  );
  return [
    ...changesOfNames("server", Object.keys(from), Object.keys(to)),
    ...changed.map((name): CardChange => ({ bump: "minor", what: `server \`${name}\` starts differently` })),
  ];
}

function namesOf(hooks: readonly IndexedHook[]): string[] {
  return hooks.map(({ name }) => name);
}
