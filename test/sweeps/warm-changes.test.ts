import { expect, test } from "vitest";
import { revokeConsent } from "../../src/operations/project/untrust.ts";
import { setWarm } from "../../src/wiring/waiting.ts";
import { verdictOf } from "../support/hook-calls.ts";
import { CARD, guardedProject, trust, write } from "../support/projects.ts";
import { startCall } from "../support/warm-homes.ts";

const CALLS = Number(process.env["DRWN_SWEEP_CALLS"] ?? (process.env["DRWN_SWEEP_SEED"] ? 40 : 1_000));
const SESSIONS = 3;
/** How many calls end before the consents change again. */
const CALLS_OF_A_TIME = 8;
const LONGEST_CALL_MS = 30_000;

/** What applies: the guard, nothing, or either of them while a command is at work. */
type Holds = "guard" | "nothing" | "either";

const FITS: Record<Holds, readonly string[]> = {
  guard: ["deny"],
  nothing: ["silence"],
  either: ["deny", "silence", "block"],
};

test(`${CALLS} calls while a person withdraws consent, gives it and writes: each gets what held while it ran`, async () => {
  const host = await guardedProject();
  setWarm(host.drwnHome, true);
  await write(host);
  let [holds, time, made, ofThisTime]: [Holds, number, number, number] = ["guard", 0, 0, 0];
  let hasEnough = (): void => {};
  const isDone = (): boolean => made >= CALLS;
  const isEnough = (): boolean => ofThisTime >= CALLS_OF_A_TIME || isDone();
  const change = async (to: Holds, work: () => Promise<unknown>): Promise<void> => {
    [holds, time] = ["either", time + 1];
    await work();
    [holds, time, ofThisTime] = [to, time + 1, 0];
    if (!isDone()) await new Promise<void>((resolve) => (hasEnough = resolve));
  };
  const person = async (): Promise<void> => {
    while (!isDone()) {
      await change("nothing", () => revokeConsent(host, CARD));
      await change("guard", async () => {
        await trust(host);
        await write(host);
      });
    }
  };
  const session = async (): Promise<void> => {
    while (!isDone()) {
      const began = { holds, time, at: Date.now() };
      const answer = await startCall({ home: host.drwnHome, project: host.cwd }, {});
      made++;
      ofThisTime++;
      if (isEnough()) hasEnough();
      expect(Date.now() - began.at).toBeLessThan(LONGEST_CALL_MS);
      const held = began.time === time ? began.holds : "either";
      expect(FITS[held]).toContain(verdictOf(answer));
    }
  };
  await Promise.all([person(), ...Array.from({ length: SESSIONS }, session)]);
  setWarm(host.drwnHome, false);
}, 36_000_000);
