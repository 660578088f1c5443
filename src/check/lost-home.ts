import { userEntryFiles } from "../agents/find-agents.ts";
import { targetsOf } from "../agents/targets.ts";
import { layout } from "../contract/layout.ts";
import { drwn } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { AgentId } from "../policy/event.ts";
import { findObstacle } from "../project/open/check-home.ts";
import { type Change, readTarget } from "../wiring/changes.ts";
import { homesNamedIn, isHomeLost } from "../wiring/launcher.ts";
import type { Target } from "../wiring/target.ts";
import { readSettingsRecord } from "../wiring/write-record.ts";
import { titleOf } from "./fault.ts";
import type { GuardedAgent, Guarding } from "./guarded-agent.ts";

/** What `write` has put into agents' settings files, by path. */
type WrittenSettings = ReturnType<typeof readSettingsRecord>["files"];

/** An agent whose settings start a hook that is gone, so that it blocks every call, in every folder. */
export interface LostEntry {
  runtime: AgentId;
  file: string;
  /** The DRWN_HOME that is gone. */
  home: string;
  /** What takes the entry out. */
  changes: Change[];
}

/** The entries of lost homes in the user's own settings: of this home, and of another one whose settings came here. */
export function findLostEntries(host: Host): LostEntry[] {
  if (host.scope === "system") return [];
  const own = isHomeLost(host.drwnHome) ? [host.drwnHome] : [];
  const named = userEntryFiles(host).map(({ runtime, file }) => {
    const others = homesNamed(file).filter((home) => home !== host.drwnHome && isHomeLost(home));
    return { runtime, file, homes: [...own, ...new Set(others)] };
  });
  const suspects = named.filter(({ homes }) => homes.length > 0);
  if (suspects.length === 0) return [];
  const { files } = findObstacle(host.drwnHome) === undefined ? readSettingsRecord(host.drwnHome) : { files: {} };
  return suspects.flatMap(({ runtime, file, homes }) => {
    const [target] = targetsOf([runtime]);
    if (target === undefined) return [];
    return homes.flatMap((home): LostEntry[] => {
      const launcher = layout.launcher(home);
      const changes = takeOut(host, { target, home, files });
      const isNamed = changes.some(({ before }) => before?.includes(launcher) === true);
      return isNamed ? [{ runtime, file, home, changes }] : [];
    });
  });
}

/** A file that can't be read has no entry that anybody could take out; others report it. */
function homesNamed(file: string): string[] {
  try {
    return homesNamedIn(readTarget(file)?.toString() ?? "");
  } catch (error) {
    if (isProblem(error)) return [];
    throw error;
  }
}

function takeOut(
  host: Host,
  { target, home, files }: { target: Target; home: string; files: WrittenSettings },
): Change[] {
  try {
    return target.planHooks({
      host: { ...host, drwnHome: home },
      root: host.home,
      wiring: "user",
      own: [],
      others: [],
      shared: "keep",
      originalOf: (file) => files[file],
    }).changes;
  } catch (error) {
    if (isProblem(error)) return [];
    throw error;
  }
}

/** The answer about every folder while a home is lost; undefined: none is. */
export function guardingOfLost(host: Host): Guarding | undefined {
  const obstacle = findObstacle(host.drwnHome);
  const agents = findLostEntries(host).map(({ runtime, home }): GuardedAgent => {
    const gone = `its settings start the hook in ${clean(home, 1000)}, which is gone`;
    const because =
      obstacle === undefined
        ? { message: gone, hint: drwn("write") }
        : { message: `${gone} (${obstacle.message})`, hint: obstacle.hint ?? null };
    const state = "blocked";
    return { runtime, title: titleOf(runtime), state, managedFile: null, because, isFound: true, cards: [] };
  });
  if (agents.length === 0) return undefined;
  return { ok: false, agents, leftOut: [], notInForce: [], replaced: [], enclosing: [], findings: [] };
}
