import fs from "node:fs";
import path from "node:path";
import { allTargets } from "../../src/agents/targets.ts";
import { applyChanges, type Change } from "../../src/wiring/changes.ts";
import type { JsonOriginal } from "../../src/wiring/json-file.ts";
import type { PlannedServers } from "../../src/wiring/servers.ts";
import type { PlannedHooks, PolicyTrigger, Target } from "../../src/wiring/target.ts";
import { temporaryFolder } from "./cards.ts";

/** How an agent writes hooks down: Claude Code's groups, a list of handlers, or one list of entries for all events. */
export type Shape = "entries" | "groups" | "handlers";

const ALL: PolicyTrigger[] = [{ matcher: null, phases: ["pre-tool", "post-tool"] }];

/** One agent on a machine of its own. */
export class Machine {
  readonly root: string;
  readonly home: string;
  private readonly target: Target;
  private readonly origins = new Map<string, JsonOriginal>();
  private servers: PlannedServers["record"];

  constructor(target: Target, folder = temporaryFolder()) {
    this.root = path.join(folder, "project");
    this.home = path.join(folder, "home");
    this.target = target;
  }

  /** The changes that put the entries into such a place, or take all of them out. */
  planHooks(place: Place["kind"], isWanted = true): PlannedHooks {
    const { home, root } = this;
    const planned = this.target.planHooks({
      host: { cwd: "/p", home, env: {}, drwnHome: path.join(home, ".agents", "drwn") },
      root,
      wiring: place === "project" ? "project" : "user",
      own: isWanted && place !== "shared" ? ALL : [],
      others: [],
      shared: place !== "shared" ? "keep" : isWanted ? "put" : "take-out",
      isGuarded: isWanted,
      originalOf: (file) => this.origins.get(file),
    });
    for (const [file, origin] of planned.originals) this.origins.set(file, origin);
    return planned;
  }

  planServers(names: readonly string[] = []): PlannedServers | null {
    const servers = Object.fromEntries(names.map((name) => [name, { command: `${name}-server`, args: ["--stdio"] }]));
    return this.target.planServers({ root: this.root, servers, record: this.servers });
  }

  writeServers(names: readonly string[]): Change[] {
    const planned = this.planServers(names);
    if (planned === null) return [];
    applyChanges(planned.changes);
    this.servers = planned.record;
    return planned.changes;
  }
}

/** Somebody else's JSON file, into which a target puts drwn's entries. */
export interface Place {
  target: Target;
  kind: "project" | "shared" | "user";
  /** Below the home or the project. */
  file: string;
  shape: Shape;
  /** The events of entries for calls, before and after. */
  events: readonly string[];
}

function findPlace(target: Target, kind: Place["kind"]): Place[] {
  const machine = new Machine(target, "/nowhere");
  const { file: main, changes } = machine.planHooks(kind);
  const change = kind === "shared" ? changes[0] : changes.find((one) => one.path === main);
  if (change === undefined || !change.path.endsWith(".json")) return [];
  const file = path.relative(kind === "user" ? machine.home : machine.root, change.path);
  // Some agents have no personal settings for a project.
  if (file.startsWith("..")) return [];
  const written: unknown = JSON.parse(String(change.after));
  if (Array.isArray(written))
    return [{ target, kind, file, shape: "entries", events: written.map(({ event }) => event) }];
  const { hooks } = written as { hooks: Record<string, object[]> };
  const isGrouped = Object.values(hooks).every(([item]) => item !== undefined && "hooks" in item);
  return [{ target, kind, file, shape: isGrouped ? "groups" : "handlers", events: Object.keys(hooks) }];
}

export const PLACES = allTargets().flatMap((target) =>
  (["user", "project", "shared"] as const).flatMap((kind) => findPlace(target, kind)),
);

/** A text of the corpus with the agent's names for the events before and after a call. */
export function fitted(text: string, { events }: Place): string {
  const [before = "PreToolUse", after = "PostToolUse"] = events;
  return text.replaceAll("PreToolUse", before).replaceAll("PostToolUse", after);
}

/** Where the file of a place is on this machine. */
export function locate({ kind, file }: Place, { home, root }: { home: string; root: string }): string {
  const place = path.join(kind === "user" ? home : root, file);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  return place;
}

/** What each of drwn's entries names. */
export const MARK = /\/bin\/hook(?=['"\\])/gu;

/** How many of drwn's entries a text has. */
export function marks(text: string): number {
  return text.match(MARK)?.length ?? 0;
}

/** Agents that can get MCP servers in a project. */
export const SERVED = allTargets().filter((target) => new Machine(target, "/nowhere").planServers() !== null);
