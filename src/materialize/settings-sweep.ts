import { allTargets } from "../agents/targets.ts";
import { layout } from "../contract/layout.ts";
import { advise, drwn, type Text } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import type { Change } from "../wiring/changes.ts";
import { planTakeOut } from "../wiring/entries/take-out.ts";
import { isInside } from "../wiring/file-location.ts";
import { isCommittedCommand, isHookCommand } from "../wiring/launcher.ts";
import { readSettingsRecord } from "../wiring/write-record.ts";
import type { KnownProject } from "../workspace/known-projects.ts";

/** Something of drwn that stays. */
export interface Remaining {
  /** `entry`: calls drwn but could not be taken out. `shared`: a project commits it. `file`: a person changed it. */
  kind: "entry" | "shared" | "file" | "state";
  path: string;
  why: string;
  /** What a person can do about it; null: there is nothing to do. */
  hint: Text | null;
}

/** Collects the changes of settings files by path, and the entries in them that must stay. */
export class SettingsSweep {
  readonly changes = new Map<string, Change>();
  readonly remaining = new Map<string, Remaining>();
  private readonly host: Host;
  private readonly shared: boolean;
  private readonly known: readonly KnownProject[];
  private readonly files: ReturnType<typeof readSettingsRecord>["files"];

  constructor(host: Host, { shared }: { shared: boolean }, known: readonly KnownProject[]) {
    this.host = host;
    this.shared = shared;
    this.known = known;
    this.files = this.attempt(layout.wiring(host.drwnHome), () => readSettingsRecord(host.drwnHome).files) ?? {};
  }

  /** Every settings file that drwn remembers, separately: one that can't be read doesn't stop the others. */
  takeOutRemembered(): void {
    for (const [settingsFile, record] of Object.entries(this.files)) {
      // A file that is only drwn's: `takeOutOf` handles it through its agent.
      if (!settingsFile.endsWith(".json")) continue;
      const isOurs = (command: string) =>
        isHookCommand(command, this.host.drwnHome) || (this.shared && isCommittedCommand(command));
      const root = this.rootOf(settingsFile);
      const planned = this.attempt(settingsFile, () => planTakeOut({ settingsFile, root, isOurs, record }));
      if (planned?.change !== undefined) this.add(planned.change);
    }
  }

  /** Everything else that the agents find in this project and in the user's own settings. */
  takeOutOf(root: string): void {
    for (const target of allTargets()) {
      const place = { host: this.host, root };
      const committed = this.shared ? null : (target.committedEntry?.(place) ?? null);
      if (committed !== null) this.remaining.set(`shared ${committed}`, sharedEntry(committed));
      const planned = this.attempt(`the settings of ${target.runtime} for ${root}`, () =>
        target.planHooks({
          ...place,
          wiring: "user",
          own: [],
          others: [],
          shared: this.shared ? "take-out" : "keep",
          originalOf: (file) => this.files[file],
        }),
      );
      for (const change of planned?.changes ?? []) if (change.path !== committed) this.add(change);
    }
  }

  private add(change: Change): void {
    if (!this.changes.has(change.path)) this.changes.set(change.path, change);
  }

  private rootOf(file: string): string {
    const around = this.known.flatMap(({ folders }) => folders).filter((folder) => isInside(folder, file));
    const [nearest] = around.sort((left, right) => right.length - left.length);
    if (nearest !== undefined) return nearest;
    return isInside(this.host.home, file) ? this.host.home : file.slice(0, file.lastIndexOf("/"));
  }

  private attempt<T>(path: string, plan: () => T): T | undefined {
    try {
      return plan();
    } catch (error) {
      if (!isProblem(error)) throw error;
      const isSaid = [...this.remaining.values()].some(({ why }) => why === error.message);
      if (!isSaid) this.remaining.set(path, stuckEntry(path, error.message));
      return undefined;
    }
  }
}

export function stuckEntry(path: string, why: string): Remaining {
  const hint = "correct or remove it; the command of an entry of drwn names bin/hook in drwn's folder";
  return { kind: "entry", path, why, hint };
}

function sharedEntry(path: string): Remaining {
  const why = "the project commits an entry for everybody, which blocks where drwn is not set up";
  return {
    kind: "shared",
    path,
    why,
    hint: advise`${drwn("uninstall", "--shared")}, or remove the entry that calls drwn`,
  };
}
