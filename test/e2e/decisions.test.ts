import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bash, runClaude } from "./claude.ts";
import { armGuard } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { ranAndPrinted, wasBlocked } from "./outcomes.ts";
import { denyTouch } from "./policies.ts";

const HARMS: Readonly<Record<string, (launcher: string) => void>> = {
  "has nothing in it": (launcher) => fs.truncateSync(launcher),
  "is gone": (launcher) => fs.rmSync(launcher),
  "isn't executable": (launcher) => fs.chmodSync(launcher, 0o644),
  "is a folder": (launcher) => fs.rmSync(launcher) ?? fs.mkdirSync(launcher),
  "is broken": (launcher) => fs.writeFileSync(launcher, "#!/bin/sh\nexit 7\n"),
};

inNewWorlds();

test("where the launcher cannot be started, or fails, the call is blocked, by a line that names it", async () => {
  await armGuard(world, denyTouch);
  const launcher = path.join(world.home, ".agents/drwn/bin/hook");
  const whole = fs.readFileSync(launcher);
  for (const [what, harm] of Object.entries(HARMS)) {
    harm(launcher);
    const { results } = await runClaude(world, { steps: bash("touch ran.txt") });
    expect([what, world.has("ran.txt"), results]).toEqual([
      what,
      false,
      [wasBlocked("bin/hook claude-code pre]: failed")],
    ]);
    fs.rmSync(launcher, { recursive: true, force: true });
    fs.writeFileSync(launcher, whole, { mode: 0o755 });
  }
  const { results } = await runClaude(world, { steps: bash("echo finished") });
  expect(results).toEqual([ranAndPrinted("finished")]);
});
