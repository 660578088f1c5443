import { checkConsentLog } from "../../../src/check/doctor/check-records.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { readStored } from "../../../src/registry/store.ts";
import { readConsentLog } from "../../../src/trust/consent-log.ts";
import type { TestHost } from "../host.ts";
import type { ReplayedCommand } from "./commands.ts";
import { askHook, differences, everything, observe, type Seen } from "./observe.ts";
import { type Call, canFail, type Ended, keepMachine, listCalls, runFaulty, SHAPES, type Shape } from "./replay.ts";

/** A command that ran once undisturbed and can run again from the same beginning. */
export interface Rehearsal {
  command: ReplayedCommand;
  host: TestHost;
  calls: Call[];
  restore: () => void;
  before: State;
  after: State;
}

interface State {
  observed: Seen;
  everything: Seen;
  verdict: string;
}

export interface FaultPoint {
  shape: Shape;
  /** The number of the call, counted from 1. */
  at: number;
}

export async function rehearse(command: ReplayedCommand): Promise<Rehearsal> {
  const host = await command.prepare();
  const restore = keepMachine(host);
  const before = look(host);
  restore();
  const { calls, ended } = listCalls(host, command.argv);
  if (ended.end !== 0) throw new Error(`${command.name} ends with ${ended.end}: ${ended.stderr}`);
  return { command, host, calls, restore, before, after: look(host) };
}

function look(host: TestHost): State {
  const state = { observed: observe(host), everything: everything(host) };
  return { ...state, verdict: askHook(host) };
}

/** Every way to disturb the command at each of its calls. */
export function faultPoints({ calls }: Pick<Rehearsal, "calls">): FaultPoint[] {
  return SHAPES.flatMap((shape) => calls.flatMap((call, at) => (canFail(call, shape) ? [{ shape, at: at + 1 }] : [])));
}

/** Disturbs the command at the point, runs it again, and says what isn't as it must be; nothing if all is well. */
export function disturb(rehearsal: Rehearsal, point: FaultPoint): string[] {
  const { command, host, calls, restore } = rehearsal;
  restore();
  const where = `${command.name}, ${point.shape} at ${point.at} of ${calls.length}: ${calls[point.at - 1]?.name} ${calls[point.at - 1]?.target}`;
  const disturbed = runFaulty(host, command.argv, point);
  const between = checkBetween(rehearsal);
  const unlogged = checkLogged(host, point);
  const again = runFaulty(host, command.argv, {});
  const faults = [
    ...checkEnd(disturbed, point),
    ...between.faults,
    ...unlogged,
    ...checkAgain(command, again, between.isDone),
    ...differences(everything(host), rehearsal.after.everything).map((file) => `in the end ${file} is another`),
  ];
  return faults.map((fault) => `${where}: ${fault}`);
}

/** A disturbed command dies, fails with a problem of its own, or finds another way. */
function checkEnd({ end, stderr }: Ended, { shape }: FaultPoint): string[] {
  if (shape === "kill" || shape === "torn") return end === "SIGKILL" ? [] : [`was not killed: ${end}`];
  return end === 0 || end === 1 ? [] : [`ended with ${end}: ${stderr.slice(0, 300)}`];
}

function checkBetween({ command, host, before, after }: Rehearsal): { faults: string[]; isDone: boolean } {
  const verdict = askHook(host);
  const faults = [before.verdict, after.verdict].includes(verdict) ? [] : [`the hook answers ${verdict}`];
  // As any command that looks at the project does.
  const { lock } = openProject(host);
  const observed = observe(host);
  const isDone = differences(observed, after.observed).length === 0;
  if (command.isStepwise === true) {
    const neither = differences(observed, before.observed).filter((file) => observed[file] !== after.observed[file]);
    faults.push(...neither.map((file) => `${file} is neither old nor new`));
  } else if (!isDone) {
    faults.push(...differences(observed, before.observed).map((file) => `${file} is not old, and not all is new`));
  } else {
    for (const { tree } of lock.cards) {
      try {
        readStored(host.drwnHome, tree);
      } catch (error) {
        faults.push(`locked and not stored: ${error}`);
      }
    }
  }
  return { faults, isDone };
}

/** On a full disk, nothing notes a change that wasn't made. */
function checkLogged(host: TestHost, { shape }: FaultPoint): string[] {
  if (shape !== "ENOSPC" && shape !== "short") return [];
  const { key, ledger } = openProject(host);
  return checkConsentLog(ledger, readConsentLog(host.drwnHome, key)).map(({ message }) => message);
}

function checkAgain({ again }: ReplayedCommand, { end, stderr }: Ended, isDone: boolean): string[] {
  const isExpected = isDone && again !== undefined ? end === 1 && stderr.includes(again) : end === 0;
  return isExpected ? [] : [`run again, it ends with ${end}: ${stderr.slice(0, 300)}`];
}
