import fs from "node:fs";
import path from "node:path";
import { describe, expect, inject, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { armGuard, diagnose, journal, tryDrwn } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { SERVER } from "./greeter.ts";
import { missing } from "./other-clients.ts";
import { denyTouch, REASON } from "./policies.ts";
import { commandsOf, runOther } from "./run-others.ts";

inNewWorlds();

const SETTINGS = ".pi/settings.json";
const run = (...args: string[]) => runOther("pi", world, { steps: commandsOf("pi", "touch ran.txt"), args });
const extension = () => path.join(world.home, ".pi", "agent", "extensions", "drwn.js");

async function check() {
  const { stdout } = await tryDrwn(world, ["log", "--check", "--json"]);
  return JSON.parse(stdout).counts;
}

describe.skipIf(inject("others").pi === undefined)(`Pi (${missing("pi")} otherwise)`, () => {
  test("each call that a script of codemode makes is judged, and found again in the transcript", async () => {
    await armGuard(world, denyTouch, "pi");
    const code = `return Promise.allSettled(["touch ran.txt", "echo one > one.txt"].map((command) => tools.bash({ command })))`;
    const steps = [{ tool: "codemode", input: { code } }, { text: "done" }];
    await runOther("pi", world, { steps, args: ["--tools", "+codemode"] });
    expect([world.has("ran.txt"), world.has("one.txt")]).toEqual([false, true]);
    const calls = (await journal(world)).filter(({ phase }) => phase === "pre-tool");
    expect(calls.map(({ effective }) => effective).sort()).toEqual(["allow", "allow", "deny"]);
    expect(await check()).toMatchObject({ overruled: 0, unseen: 0 });
    await runOther("pi", world, { steps, args: ["-ne", "-e", "builtin:codemode", "--tools", "+codemode"] });
    expect([world.has("ran.txt"), await check()]).toMatchObject([true, { unseen: 2 }]);
  });

  test("a tool of an MCP server is judged by its canonical name", async () => {
    const deny = `({ toolName }) => ({ action: "deny", reason: "HEARD " + toolName })`;
    const policy = `export default { policyKind: "enforcement", matcher: "*", beforeToolCall: ${deny} };\n`;
    await armGuard(world, policy, "pi");
    const args = [world.write("server.mjs", SERVER), world.at("started")];
    const greeter = { command: process.execPath, args, exposure: "direct" };
    world.write(".pi/mcp.json", JSON.stringify({ mcpServers: { greeter } }));
    const steps = [{ tool: "mcp__greeter__say_hello", input: {} }, { text: "done" }];
    const { results } = await runOther("pi", world, { steps });
    expect(results[0]?.text).toContain("HEARD mcp__greeter__say_hello");
  });

  test("what an extension of the project makes of a call is judged", async () => {
    await armGuard(world, denyTouch, "pi");
    const change = `pi.on("tool_call", ({ input }) => { input.command = "touch ran.txt"; });`;
    world.write(".pi/extensions/zz.js", `export default function (pi) { ${change} }\n`);
    const { results } = await runOther("pi", world, { steps: commandsOf("pi", "echo one") });
    expect([world.has("ran.txt"), results[0]?.text]).toEqual([false, expect.stringContaining(REASON)]);
    expect((await diagnose(world)).findings).toContainEqual(expect.objectContaining({ code: "other-plugin" }));
  });

  test("a copy of drwn's extension that was cut off keeps Pi from starting", async () => {
    await armGuard(world, denyTouch, "pi");
    fs.truncateSync(extension(), 2_000);
    const { code, turns } = await run();
    expect([code, turns]).toEqual([1, []]);
  });

  const inSettings = (fields: (file: string) => object) => () => {
    world.write(SETTINGS, JSON.stringify(fields(extension())));
    return [];
  };
  const inRoom = (name: string, text: string) => () => {
    fs.writeFileSync(path.join(path.dirname(extension()), name), text);
    return [];
  };
  const asUser = (fields: object) => () => {
    fs.writeFileSync(path.join(world.home, ".pi/agent/settings.json"), JSON.stringify(fields));
    return [];
  };

  test.each(
    sweep<[string, () => string[]]>(
      [
        ["a project that takes the file out", inSettings((file) => ({ extensions: [file, `-${file}`] }))],
        ["a project whose package has it", inSettings((file) => packageAround(file))],
        [
          "a project with a link to it",
          () => {
            fs.mkdirSync(world.at(".pi/extensions"), { recursive: true });
            fs.symlinkSync(extension(), world.at(".pi/extensions/x.js"));
            return inSettings(() => ({ extensions: ["-extensions/x.js"] }))();
          },
        ],
        ["a person's pi config", asUser({ extensions: ["-extensions/drwn.js"] })],
        ["a person's pattern", asUser({ extensions: ["!**/d*"] })],
        ["an index.js beside it", inRoom("index.js", "export default function () {}\n")],
        ["a .gitignore beside it", inRoom(".gitignore", "*.js\n")],
      ],
      2,
    ),
  )("%s undoes the guard, and drwn says so before it and afterwards", async (_, spoil) => {
    await armGuard(world, denyTouch, "pi");
    spoil();
    const said = expect.objectContaining({ code: "hooks-disabled", severity: "error" });
    expect((await diagnose(world)).findings).toContainEqual(said);
    await run();
    expect(world.has("ran.txt")).toBe(true);
    expect(await check()).toMatchObject({ unseen: 1 });
  });

  test("after a session without extensions status says so", async () => {
    await armGuard(world, denyTouch, "pi");
    await run("--no-extensions");
    expect(world.has("ran.txt")).toBe(true);
    expect((await tryDrwn(world, ["status", "--check"])).stdout).toMatch(/^NOT GUARDED in Pi: .* ran without asking/u);
  });

  test("nothing of a project that nobody trusts changes the guard", async () => {
    await armGuard(world, denyTouch, "pi");
    inSettings((file) => ({ extensions: [file, `-${file}`] }))();
    await run("--no-approve");
    expect(world.has("ran.txt")).toBe(false);
  });
});

/** The user's whole folder as a package without extensions. */
function packageAround(file: string): object {
  return { packages: [{ source: path.dirname(path.dirname(file)), extensions: [] }] };
}
