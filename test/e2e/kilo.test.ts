import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { armGuard } from "./drwn.ts";
import { missing } from "./other-clients.ts";
import { denyTouch, REASON } from "./policies.ts";
import { commandsOf, runOther } from "./run-others.ts";
import type { Step } from "./wire-format.ts";
import { World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

/** What Kilo has beside OpenCode, of which it is a fork. */
describe.skipIf(inject("others").kilo === undefined)(`Kilo (${missing("kilo")} otherwise)`, () => {
  const start = { action: "start", command: "touch ran.txt", description: "a step of the script" };

  test.each<[string, Record<string, string>, Step[]]>([
    ["what background_process starts", {}, [{ tool: "background_process", input: start }, { text: "done" }]],
    [
      "a call where the repository's .env has KILO_PURE",
      { ".env": "KILO_PURE=1\n" },
      commandsOf("kilo", start.command),
    ],
  ])("%s is judged", async (_, files, steps) => {
    await armGuard(world, denyTouch, "kilo");
    for (const [file, text] of Object.entries(files)) world.write(file, text);
    const { results } = await runOther("kilo", world, { steps });
    expect([world.has("ran.txt"), results[0]?.text]).toEqual([false, expect.stringContaining(REASON)]);
  });
});
