import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import type { AgentId } from "../../src/policy/event.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { denying, from } from "../hook/launched.ts";
import { type ArmedHome, armHome, armProject, write } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";
import { sweep } from "../support/sweep.ts";

const place = ({ home, project }: ArmedHome) => layout.inodeRecord(home, String(fs.statSync(project).ino));

/** Each way in which a project can be moved, with the name of its new place. */
const MOVES: Readonly<Record<string, (armed: ArmedHome) => string>> = {
  "to another name": (armed) => rename(armed, "p2"),
  "into another folder": (armed) => rename(armed, "some/where/p2"),
  "with the folder around it": ({ world }) => {
    fs.renameSync(world, `${world}-moved`);
    fs.symlinkSync(`${world}-moved`, world);
    return path.join(`${world}-moved`, "project");
  },
};

function rename({ world, project }: ArmedHome, name: string): string {
  const to = path.join(world, name);
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.renameSync(project, to);
  return to;
}

/** What a session's folder is named by: the variable of the agent, or the working folder under its name. */
const AGENTS: Readonly<Record<string, (folder: string) => Record<string, string>>> = {
  "claude-code": (folder) => ({ CLAUDE_PROJECT_DIR: folder }),
  codex: (folder) => ({ CLAUDE_PROJECT_DIR: "", PWD: folder }),
  "copilot-cli": (folder) => ({ CLAUDE_PROJECT_DIR: "", COPILOT_PROJECT_DIR: folder }),
  cursor: (folder) => ({ CLAUDE_PROJECT_DIR: "", CURSOR_PROJECT_DIR: folder }),
  "gemini-cli": (folder) => ({ CLAUDE_PROJECT_DIR: "", GEMINI_PROJECT_DIR: folder }),
  opencode: (folder) => ({ CLAUDE_PROJECT_DIR: "", PWD: folder }),
  polytoken: (folder) => ({ CLAUDE_PROJECT_DIR: "", POLYTOKEN_PROJECT_DIR: folder }),
};

function ask(armed: ArmedHome, runtime: AgentId, options: { cwd: string; env: Record<string, string> }): string {
  const command = hookCommand({ home: armed.home, runtime, phase: "pre" });
  const input = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", toolName: "bash", tool_input: {} });
  const { status, stdout, stderr } = armed.run(command, { ...options, input });
  return status === 2 || /no|deny/u.test(stdout) ? "held" : `${status} ${stdout}${stderr}`;
}

// How an agent names its folder, and what became of the folder, are asked about one after the other: each agent meets one way of each.
describe.each(sweep([...(Object.keys(AGENTS) as AgentId[]).entries()], 4))("%i: a session of %s", (at, runtime) => {
  const how = Object.keys(MOVES)[at % Object.keys(MOVES).length] ?? "";
  test(`stays guarded where its project is moved ${how} and a link is left`, () => {
    const armed = armHome([denying]);
    const { project } = armed;
    const to = MOVES[how]?.(armed) ?? "";
    if (!fs.existsSync(project)) fs.symlinkSync(to, project);
    expect(ask(armed, runtime, { cwd: project, env: AGENTS[runtime]?.(project) ?? {} })).toBe("held");
    // As an agent starts its hooks that names no folder, and was started without a PWD.
    expect(ask(armed, runtime, { cwd: to, env: { CLAUDE_PROJECT_DIR: "", PWD: "" } })).toBe("held");
  });

  test("is not led away by the variables of another agent", () => {
    const armed = armHome([denying]);
    const others = Object.values(AGENTS).map((name) => ({ ...name("/usr"), PWD: armed.project }));
    const env = { ...Object.assign({}, ...others), CLAUDE_PROJECT_DIR: "/usr", ...AGENTS[runtime]?.(armed.project) };
    if (runtime !== "claude-code") env["CLAUDE_PROJECT_DIR"] = "/usr";
    expect(ask(armed, runtime, { cwd: armed.project, env })).toBe("held");
  });

  const folder = ["/usr", "/", "../elsewhere"][at % 3] ?? "";
  test(`is not led away by them to ${folder} where its own is absent`, () => {
    const armed = armHome([denying]);
    const own = AGENTS[runtime]?.("") ?? {};
    const others = Object.values(AGENTS).map((name) => ({ ...name(folder), PWD: armed.project }));
    const env = { ...Object.assign({}, ...others), CLAUDE_PROJECT_DIR: folder, ...own, PWD: armed.project };
    if (runtime !== "claude-code") env["CLAUDE_PROJECT_DIR"] = folder;
    expect(ask(armed, runtime, { cwd: armed.project, env })).toBe("held");
  });
});

describe("a project that was moved", () => {
  test("is blocked from its new place on, with the command that a person can run", () => {
    const armed = armHome([denying]);
    const to = rename(armed, "p2");
    for (const folder of [to, path.join(to, ".agents")]) {
      const result = armed.call({}, from(folder));
      expect([verdictOf(result), reasonOf(result)]).toEqual(["block", expect.stringContaining("drwn trust --adopt")]);
    }
    expect(verdictOf(armed.call({}, { ...from(to), phase: "post" }))).toBe("silence");
  });

  test.each<[string, (armed: ArmedHome, to: string) => void]>([
    ["a new folder", ({ project }) => fs.mkdirSync(project)],
    ["a file", ({ project }) => fs.writeFileSync(project, "")],
    ["a link to itself", ({ project }) => fs.symlinkSync(project, project)],
    ["another project", ({ project }) => write(path.join(project, ".agents/drwn/config.json"), "{}")],
  ])("is blocked where %s lies at its former place", (_, replace) => {
    const armed = armHome([denying]);
    const to = rename(armed, "p2");
    replace(armed, to);
    expect(verdictOf(armed.call({}, from(to)))).toBe("block");
  });

  test("and lies below another project now is still its own for the session that was started in it", () => {
    const armed = armHome([denying]);
    armProject(armed, path.join(armed.world, "weak"), [{ policy: "{ beforeToolCall() {} }" }]);
    const to = rename(armed, "weak/p2");
    fs.symlinkSync(to, armed.project);
    expect(reasonOf(armed.call({}, from(armed.project)))).toBe("[@me/guards#guard-0] no");
  });

  test("is nothing to a copy of it", () => {
    const armed = armHome([denying]);
    const copy = path.join(armed.world, "copy");
    fs.cpSync(armed.project, copy, { recursive: true });
    expect(verdictOf(armed.call({}, from(copy)))).toBe("silence");
  });
});

describe("what an agent takes away", () => {
  const takeAway: [string, (armed: ArmedHome) => void][] = [
    ["the marker", ({ home, project }) => fs.rmSync(layout.marker(home, project))],
    ["every marker", ({ home }) => fs.renameSync(layout.roots(home), `${home}/gone`)],
    [
      "markers and places",
      ({ home }) =>
        fs.renameSync(layout.roots(home), `${home}/gone`) ?? fs.renameSync(layout.inodes(home), `${home}/gone2`),
    ],
    ["the whole home", ({ home }) => fs.renameSync(home, `${home}-gone`)],
    ["the launcher", ({ home }) => fs.rmSync(layout.launcher(home))],
    ["the right to read the launcher", ({ home }) => fs.chmodSync(layout.launcher(home), 0o200)],
    ["the folder of the launcher", ({ home }) => fs.rmSync(`${home}/bin`, { recursive: true })],
    [
      "launcher and markers",
      ({ home }) => {
        fs.rmSync(layout.launcher(home));
        fs.renameSync(layout.roots(home), `${home}/gone`);
      },
    ],
    ["the place", (armed) => fs.rmSync(place(armed))],
    ["the ledger", ({ ledgerFile }) => fs.rmSync(ledgerFile)],
  ];

  test.each(takeAway)(
    "blocks calls or takes no guard away, with what the project says of itself gone, too: %s",
    (what, take) => {
      // Of the marker alone only these say that there was one.
      for (const alsoConfig of what === "the marker" ? [false] : [false, true]) {
        const armed = armHome([denying]);
        if (alsoConfig) fs.rmSync(path.join(armed.project, ".agents"), { recursive: true });
        take(armed);
        expect(["block", "deny"]).toContain(verdictOf(armed.call()));
      }
    },
  );

  test.each<[string, (at: string) => void]>([
    ["a pipe", (at) => execFileSync("mkfifo", [at])],
    ["a folder", (at) => fs.mkdirSync(at)],
    ["a link to a device without an end", (at) => fs.symlinkSync("/dev/zero", at)],
    ["a link that leads nowhere", (at) => fs.symlinkSync("nowhere", at)],
    ["an empty file", (at) => fs.writeFileSync(at, "")],
  ])("the marker, with %s left where the place was: calls are blocked", (_, put) => {
    const armed = armHome([denying]);
    fs.rmSync(layout.marker(armed.home, armed.project));
    fs.rmSync(place(armed));
    put(place(armed));
    expect(verdictOf(armed.call())).toBe("block");
  });

  test("is no reason to block folders that are no projects, as long as anything knows them", () => {
    const known = takeAway.filter(([what]) => !/whole|and markers|places|launcher/u.test(what));
    for (const [what, take] of known) {
      const armed = armHome([denying]);
      take(armed);
      expect([what, verdictOf(armed.call({}, from(armed.world)))]).toEqual([what, "silence"]);
    }
  });
});
