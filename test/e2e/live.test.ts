import fs from "node:fs";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { realHost } from "../../src/kernel/host.ts";
import { checkLive } from "../../src/operations/check-live.ts";
import { World } from "./world.ts";

test("doctor --live finds that a deny stops a call of the real programs", async () => {
  const world = new World();
  try {
    const programs = path.join(world.folder, "programs");
    fs.mkdirSync(programs);
    for (const agent of ["claude", "codex"] as const) fs.symlinkSync(inject(agent), path.join(programs, agent));
    const host = { ...realHost(), env: { PATH: `${programs}:${process.env["PATH"]}`, HOME: world.home } };
    const { live, findings } = await checkLive(host);
    expect(findings).toEqual([]);
    expect(live).toMatchObject([
      { runtime: "claude-code", outcome: "stopped" },
      { runtime: "codex", outcome: "stopped" },
    ]);
  } finally {
    world.remove();
  }
});
