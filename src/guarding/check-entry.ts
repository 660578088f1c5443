import { layout } from "../contract/layout.ts";
import { readBounded } from "../format/read.ts";
import { advise, drwn } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { planWiring } from "../materialize/plan-wiring.ts";
import { EVERY_CALL } from "../plan/machine-plans.ts";
import type { AgentId } from "../policy/event.ts";
import { homesNamedIn, isHomeLost } from "../wiring/launcher.ts";
import type { PolicyTrigger } from "../wiring/policy-triggers.ts";
import type { SettingsLevel } from "../wiring/write-record.ts";
import { faultFinding, type GuardFault, NOT_WRITTEN } from "./fault.ts";

interface EntryRequest {
  root: string;
  key: string;
  wiring: SettingsLevel;
  runtime: AgentId;
  /** null: nobody knows what they were, so any entry of drwn will do. */
  policies: readonly PolicyTrigger[] | null;
}

/** The file through which the agent asks the hook, and what keeps it from asking. Nothing is verified or started. */
export function checkEntry(
  host: Host,
  { runtime, policies, ...place }: EntryRequest,
): { file: string; faults: GuardFault[] } {
  const of = { policies: policies ?? [EVERY_CALL], runtimes: [runtime], former: [], shared: "keep" } as const;
  try {
    const { agents, settings } = planWiring({ host, ...place, ...of });
    const file = agents[0]?.file ?? "";
    const change = settings.find(({ path }) => path === file);
    const lost = findLostHome(host.drwnHome, file);
    if (lost !== undefined) return { file, faults: [lostHome(file, lost)] };
    if (change === undefined) return { file, faults: [] };
    const isThere = change.before?.includes(layout.launcher(host.drwnHome)) === true;
    const isEnough = () =>
      policies === null ||
      planWiring({ host, ...place, ...of, isBeforeLoss: true }).settings.every(({ path }) => path !== file);
    if (isThere && isEnough()) return { file, faults: [] };
    const message = isThere
      ? "drwn's entry in its settings was edited, or is from another version"
      : "its settings don't have drwn's entry";
    return { file, faults: [{ comesTo: "opens", finding: faultFinding(NOT_WRITTEN, file, message, drwn("write")) }] };
  } catch (error) {
    if (!isProblem(error)) throw error;
    const finding = faultFinding(NOT_WRITTEN, runtime, error.message, error.hint ?? drwn("doctor"));
    return { file: "", faults: [{ comesTo: "opens", finding }] };
  }
}

/** The home whose launcher another entry of drwn starts, if nothing of that home is left: it blocks every call. */
function findLostHome(own: string, file: string): string | undefined {
  const homes = homesNamedIn(readBounded(file)?.toString() ?? "");
  return homes.find((home) => home !== own && isHomeLost(home));
}

function lostHome(file: string, home: string): GuardFault {
  const old = clean(home, 1000);
  const message = `its settings ask the hook in ${old}, which is gone, so every tool call is blocked`;
  const hint = advise`take the entries that name ${old} out of ${file}, then run: ${drwn("write")}`;
  return { comesTo: "blocks", finding: faultFinding("home-gone", file, message, hint) };
}
