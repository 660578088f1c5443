import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { armHome, type LiteralPolicy } from "./armed-home.ts";
import { reasonOf, verdictOf } from "./hook-calls.ts";
import { callIn, type Environments } from "./hostile-environments.ts";
import { SYSTEM_SHELLS, type SystemShell, whyNotSh, withSh } from "./shells.ts";

const denying: LiteralPolicy = { policy: `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }` };

/** What may be in the launcher's place. */
const HARM: readonly ((launcher: string) => void)[] = [
  (launcher) => fs.writeFileSync(launcher, "#!/bin/sh\nexit 0\n"),
  (launcher) => fs.writeFileSync(launcher, "#!/bin/sh\nexit 7\n"),
  (launcher) => fs.truncateSync(launcher),
  (launcher) => fs.chmodSync(launcher, 0o644),
  (launcher) => fs.rmSync(launcher),
  (launcher) => fs.mkdirSync(launcher),
];

/** A guard says no in each of these environments if this shell is the system's. */
export function describeShell(shell: SystemShell, environments: Environments): void {
  describe(`where /bin/sh is ${shell.name}`, () => {
    const why = whyNotSh(shell);

    test.for(Object.entries(environments))(
      "a guard says no, whatever comes in the environment: %s",
      ([, env], { skip }) => {
        skip(why !== undefined, why);
        const armed = armHome([denying]);
        for (const agent of [{}, { agent: "/bin/sh" }]) {
          const result = callIn(armed, shell.program ?? "", { env, ...agent });
          // Yash has `[` only on the PATH.
          if (shell.name === "yash" && verdictOf(result) === "block") continue;
          expect([verdictOf(result), reasonOf(result)]).toEqual(["deny", "[@me/guards#guard-0] no"]);
        }
      },
    );

    test.for(Object.entries(environments))(
      "a launcher that is gone, empty or broken blocks, whatever comes in the environment: %s",
      ([, env], { skip }) => {
        skip(why !== undefined, why);
        const armed = armHome([denying]);
        for (const harm of HARM) {
          harm(layout.launcher(armed.home));
          const result = callIn(armed, shell.program ?? "", { env, agent: "/bin/sh" });
          expect([verdictOf(result), reasonOf(result), `${harm}`]).toEqual([
            "block",
            expect.stringContaining("drwn: "),
            `${harm}`,
          ]);
        }
      },
    );

    test("where the launcher is gone, an event of an agent that takes answers is refused by one", ({ skip }) => {
      skip(why !== undefined, why);
      const refusal = `{"decision":"deny"}`;
      const line = hookCommand({
        home: "/nowhere",
        runtime: "gemini-cli",
        phase: "prompt.submit",
        fallbackAnswer: refusal,
      });
      const [unshare = "", ...args] = [...withSh(shell.program ?? ""), "/bin/sh", "-c", line];
      expect(spawnSync(unshare, args, { encoding: "utf8" })).toMatchObject({ status: 0, stdout: `${refusal}\n` });
    });

    test("an input that is closed is no event, and does not keep the agent waiting", ({ skip }) => {
      skip(why !== undefined, why);
      const armed = armHome([denying]);
      const [unshare = "", ...args] = withSh(shell.program ?? "");
      for (const manners of [{}, { refusal: `{"decision":"deny"}` }]) {
        const command = hookCommand({ home: armed.home, runtime: "gemini-cli", phase: "pre", ...manners });
        const options = { cwd: armed.project, encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL" } as const;
        const { status, stdout } = spawnSync(unshare, [...args, "/bin/sh", "-c", `( ${command} ) <&-`], options);
        expect([status === 2 || stdout.includes("deny"), manners]).toEqual([true, manners]);
      }
    });
  });
}

/** The same for an agent that runs its hooks in this program, whatever the system's shell. */
export function describeAgentShell(agent: string, environments: Environments): void {
  const bash = SYSTEM_SHELLS.find(({ name }) => name === "bash");

  describe(`an agent whose shell is ${agent}, not called sh`, () => {
    const why = bash === undefined ? "bash is not known" : whyNotSh(bash);

    test.for(Object.entries(environments))("is held, whatever comes in the environment: %s", ([, env], { skip }) => {
      skip(why !== undefined, why);
      const armed = armHome([denying]);
      const result = callIn(armed, bash?.program ?? "", { env, agent });
      expect(verdictOf(result)).toBe("deny");
      // The entry has to know by itself that this is a project.
      fs.rmSync(layout.launcher(armed.home));
      expect(verdictOf(callIn(armed, bash?.program ?? "", { env, agent }))).toBe("block");
    });
  });
}
