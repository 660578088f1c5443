import fs from "node:fs";
import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { planWarmProgram } from "../materialize/program.ts";
import { applyChanges } from "../wiring/changes.ts";
import { findWaiting, isWarm, setWarm } from "../wiring/waiting.ts";

export interface WarmHook {
  isOn: boolean;
  /** Whether the launcher's part for it exists, and the system has what it needs. */
  works: boolean;
  /** The processes that wait for a call. */
  waiting: number[];
}

export function readWarmHook({ drwnHome: home }: Pick<Host, "drwnHome">): WarmHook {
  const works = process.platform === "linux" && fs.existsSync(layout.warmProgram(home));
  return { isOn: isWarm(home), works, waiting: findWaiting(home) };
}

/** Switches whether launchers start hook processes before calls, from the next call on. */
export function switchWarmHook(host: Pick<Host, "drwnHome">, isOn: boolean): WarmHook {
  const change = isOn ? planWarmProgram(host.drwnHome) : undefined;
  if (change !== undefined) applyChanges([change]);
  setWarm(host.drwnHome, isOn);
  return readWarmHook(host);
}
