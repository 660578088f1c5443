import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { hookCommand, renderLauncher } from "../../src/wiring/launcher.ts";
import { denying, insteadOfNode, writePrograms } from "../hook/launched.ts";
import { type ArmedHome, armHome, hookNode, type LiteralPolicy, write } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";

describe("Node", () => {
  const moveNode = ({ home }: ArmedHome): void => {
    const template = fs.readFileSync(path.resolve(import.meta.dirname, "../../templates/launcher.sh"), "utf8");
    fs.writeFileSync(layout.launcher(home), renderLauncher(template, { nodePath: "/nowhere/$& node" }));
  };

  test("that has moved is not sought on the PATH, which a project's settings can set", () => {
    const armed = armHome([denying]);
    moveNode(armed);
    fs.writeFileSync(path.join(armed.project, "node"), "#!/bin/sh\ntouch ran\nexit 100\n", { mode: 0o755 });
    const result = armed.call({}, { shell: "/bin/sh", env: { PATH: armed.project } });
    expect(["deny", "block"]).toContain(verdictOf(result));
    expect(fs.existsSync(path.join(armed.project, "ran"))).toBe(false);
  });
});

describe("the program for tool calls", () => {
  const own = ({ home }: ArmedHome) => layout.hookProgram(home, "hook-calls.cjs");

  test("answers where one process can run all policies, and nowhere else", () => {
    const together = armHome([denying]);
    const apart = armHome([denying, { ...denying, publisher: "another" }]);
    for (const armed of [together, apart])
      fs.writeFileSync(own(armed), "process.stdout.write('{}'); process.exit(100);\n");
    expect(together.call().stdout).toBe("{}");
    expect(verdictOf(apart.call())).toBe("deny");
  });

  test("is missed by nobody: the one that answers everything gives the same answer", () => {
    const armed = armHome([denying]);
    const said = armed.call().stdout;
    fs.rmSync(own(armed));
    expect(verdictOf(armed.call())).toBe("deny");
    expect(armed.call().stdout).toBe(said);
  });

  test("blocks where Node does not confine it", () => {
    const armed = armHome([denying]);
    const words = [
      "claude-code",
      "pre",
      `key=${armed.key}`,
      `home=${armed.home}`,
      `project=${armed.project}`,
      "total-ms=50000",
    ];
    const input = JSON.stringify({ tool_name: "Bash", tool_input: {} });
    const result = spawnSync(process.execPath, [own(armed), ...words], { input, encoding: "utf8" });
    expect([result.status, result.stdout]).toEqual([2, ""]);
    expect(result.stderr).toContain("it was not confined");
  });
});

describe("an event after a call", () => {
  const withoutNode = (armed: ArmedHome) => {
    writePrograms(armed, "process.stdout.write('{}'); process.exit(100);\n");
    return armed;
  };
  const started = (armed: ArmedHome, phase: "pre" | "post") =>
    armed.run(hookCommand({ home: armed.home, runtime: "claude-code", phase })).stdout;

  test("starts no Node where no policy of the project wants one", () => {
    const armed = withoutNode(armHome([denying]));
    expect([started(armed, "pre"), started(armed, "post")]).toEqual(["{}", ""]);
  });

  test.each<[string, Partial<LiteralPolicy>]>([
    ["one wants it", { phases: ["pre-tool", "post-tool"] }],
    ["policies need processes of their own, so that no note says what they want", { capabilities: ["env"] }],
  ])("starts Node where %s", (_, change) => {
    const armed = withoutNode(armHome([{ ...denying, ...change }]));
    expect(started(armed, "post")).toBe("{}");
  });

  test.each<[string, (note: string) => void]>([
    ["is a pipe that nobody writes to", (note) => execFileSync("mkfifo", [note])],
    ["is a device without end", (note) => fs.symlinkSync("/dev/zero", note)],
    ["is a folder", (note) => fs.mkdirSync(note)],
  ])("answers when the note %s", (_, put) => {
    const armed = armHome([denying]);
    const note = layout.confined(armed.home, armed.key);
    fs.rmSync(note);
    put(note);
    expect(reasonOf(armed.call())).toBe("[@me/guards#guard-0] no");
  });

  test("never does without Node before a call, whatever the note says", () => {
    const armed = withoutNode(armHome([denying]));
    for (const note of ["10 post", "10 ", "", "pre pre pre", "0 none"]) {
      write(layout.confined(armed.home, armed.key), `${note}\n`);
      expect(started(armed, "pre")).toBe("{}");
    }
  });
});

test("a Node that does not know what spares V8 work is asked without it, and judges confined as before", () => {
  const armed = armHome([denying]);
  const asked = path.join(armed.world, "asked");
  insteadOfNode(armed, `echo "$*" >>'${asked}'\ncase " $* " in *" --liftoff-only "*) exit 9 ;; esac`);
  expect(reasonOf(armed.call())).toBe("[@me/guards#guard-0] no");
  const [first = "", second = "", ...others] = fs.readFileSync(asked, "utf8").trimEnd().split("\n");
  expect([first.includes("--liftoff-only"), second.includes("permission"), others]).toEqual([true, true, []]);
});

test.each([
  ["one process is enough, those that its policies may need", [denying], 20],
  [
    "policies have processes of their own, 10 more than the longest that a policy may ask for",
    [denying, { ...denying, publisher: "another" }],
    40,
  ],
] as const)("of the processor's seconds Node gets, where %s", (_, policies, seconds) => {
  const armed = armHome([...policies]);
  const limit = path.join(armed.world, "limit");
  insteadOfNode(armed, `[ -e '${limit}' ] || ulimit -t >'${limit}'`);
  expect(verdictOf(armed.call())).toBe("deny");
  expect(Number(fs.readFileSync(limit, "utf8"))).toBe(seconds);
});

describe("a hook that ends", () => {
  test.each<[string, string, string]>([
    ["killed after its word that it has answered has answered", `fs.writeSync(5, "100"); end("SIGKILL");`, "silence"],
    ["killed by anybody before that blocks", `end("SIGKILL");`, "block"],
    ["by the signal of an alarm that somebody else sends blocks", `end("SIGALRM");`, "block"],
    ["killed after another word blocks", `fs.writeSync(5, "0"); end("SIGKILL");`, "block"],
    ["killed after it said so to the agent alone blocks", `fs.writeSync(1, "100"); end("SIGKILL");`, "block"],
    ["by a status that says nothing blocks", `process.exit(0);`, "block"],
  ])("%s", (_, program, verdict) => {
    const armed = armHome([denying]);
    const end = `const fs = require("node:fs"); const end = (signal) => process.kill(process.pid, signal);`;
    writePrograms(armed, `${end} ${program}\n`);
    const result = armed.call();
    expect(verdictOf(result)).toBe(verdict);
    expect(result.stderr).toMatch(verdict === "block" ? /^drwn: the hook process died/u : /^$/u);
  });

  test("after its answer is not waited for until Node has taken everything down", () => {
    const armed = armHome([denying]);
    const ended = path.join(armed.world, "ended");
    const node = `'${hookNode().execPath}' "$@"\necho $? >'${ended}'\nexit 100`;
    insteadOfNode(armed, node);
    expect(reasonOf(armed.call())).toBe("[@me/guards#guard-0] no");
    expect(fs.readFileSync(ended, "utf8")).toBe("137\n");
  });
});
