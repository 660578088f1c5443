import fs from "node:fs";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { realHost } from "../../src/kernel/host.ts";
import { checkLive } from "../../src/operations/check-live.ts";
import { World } from "./world.ts";

test("doctor --live finds that a deny stops a call of the real program", async () => {
  const world = new World();
  try {
    const programs = path.join(world.folder, "programs");
    fs.mkdirSync(programs);
    fs.symlinkSync(inject("claude"), path.join(programs, "claude"));
    const host = { ...realHost(), env: { PATH: `${programs}:${process.env["PATH"]}`, HOME: world.home } };
    const { live, findings } = await checkLive(host);
    expect(findings).toEqual([]);
    expect(live).toMatchObject([{ runtime: "claude-code", outcome: "stopped" }]);
  } finally {
    world.remove();
  }
});
