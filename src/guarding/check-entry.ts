import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { planWiring } from "../materialize/wiring.ts";
import { EVERY_CALL } from "../plan/machine-plans.ts";
import type { Runtime } from "../policy/event.ts";
import type { WantingPolicy } from "../wiring/wanted.ts";
import type { Wiring } from "../wiring/written.ts";
import { faultFinding, type GuardFault, NOT_WRITTEN } from "./fault.ts";

interface EntryRequest {
  root: string;
  key: string;
  wiring: Wiring;
  runtime: Runtime;
  /** null: nobody knows what they were, and any entry of drwn does. */
  policies: readonly WantingPolicy[] | null;
}

/** The file by which the agent asks the hook, and what keeps that file from doing so. Nothing is verified or started. */
export function checkEntry(
  host: Host,
  { runtime, policies, ...place }: EntryRequest,
): { file: string; faults: GuardFault[] } {
  const of = { policies: policies ?? [EVERY_CALL], runtimes: [runtime], former: [], shared: "keep" } as const;
  try {
    const { agents, settings } = planWiring({ host, ...place, ...of });
    const file = agents[0]?.file ?? "";
    const change = settings.find(({ path }) => path === file);
    const isThere = change?.before?.includes(layout.launcher(host.drwnHome)) === true;
    if (change === undefined || (isThere && policies === null)) return { file, faults: [] };
    const message = isThere
      ? "the entry of drwn in its settings was edited, or is not of this version"
      : "its settings have no entry of drwn";
    return { file, faults: [{ comesTo: "opens", finding: faultFinding(NOT_WRITTEN, file, message, "drwn write") }] };
  } catch (error) {
    if (!isProblem(error)) throw error;
    const finding = faultFinding(NOT_WRITTEN, runtime, error.message, error.hint ?? "drwn doctor");
    return { file: "", faults: [{ comesTo: "opens", finding }] };
  }
}
