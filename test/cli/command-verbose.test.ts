import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import type { HookFacts } from "../../src/contract/ledger.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";
import type { TestHost } from "../support/host.ts";
import { GUARD, guardedProject, installed, newProject, trust, write } from "../support/projects.ts";
import { sendJson, serve } from "../support/servers.ts";

const PROGRAM = path.resolve(import.meta.dirname, "../../bin/drwn.js");
const SECRET = "hunter2secret";

interface End {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface Start {
  words: readonly string[];
  program?: string;
  env?: Record<string, string>;
  input?: string;
}

/** A process of the test's machine, in its project. Not waited for in one piece: the server that it asks is in this one. */
function start(host: TestHost, { program = process.execPath, words, env = {}, input = "" }: Start): Promise<End> {
  return new Promise((resolve, reject) => {
    const whole = { PATH: process.env["PATH"], HOME: host.home, DRWN_HOME: host.drwnHome, ...env };
    const child = spawn(program, words, { cwd: host.cwd, env: whole });
    const end: End = { status: null, stdout: "", stderr: "" };
    child.stdout.on("data", (chunk) => {
      end.stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      end.stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ ...end, status }));
    child.stdin.end(input);
  });
}

function drwn(host: TestHost, line: string, rest: Omit<Start, "words"> = {}): Promise<End> {
  return start(host, { words: [PROGRAM, ...line.split(" ")], ...rest });
}

/** The lines of the trace, each without its milliseconds. */
function traced({ stderr }: End): string[] {
  return stderr.split("\n").flatMap((line) => /^ *\d+\.\d ms {2}(.*)$/u.exec(line)?.[1]?.replace(/ +/u, " ") ?? []);
}

/** How often the files were read that say what the project is. */
function readsOf(end: End) {
  const reads = traced(end).filter((step) => step.startsWith("read "));
  const count = (file: RegExp) => reads.filter((step) => file.test(step)).length;
  return {
    config: count(/\/\.agents\/drwn\/config\.json: (?:\d+ bytes|unchanged)$/u),
    lock: count(/\/\.agents\/drwn\/card\.lock: /u),
    ledger: count(/\/ledger\/[0-9a-f]{64}\.json: /u),
  };
}

describe("a command that is to say what it does", () => {
  test.each([
    ["--verbose", "status --verbose", {}],
    ["DRWN_DEBUG=1", "status", { DRWN_DEBUG: "1" }],
  ])("tells on stderr what it reads and decides, with %s, and answers as ever", async (_, line, env) => {
    const host = await guardedProject();
    await write(host);
    const plain = await drwn(host, "status");
    const verbose = await drwn(host, line, { env });
    expect(verbose.stdout).toBe(plain.stdout);
    expect(traced(plain)).toEqual([]);
    expect(traced(verbose)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^start drwn status, with Node \d/u),
        expect.stringMatching(/^read .*\/\.agents\/drwn\/config\.json: \d+ bytes$/u),
        expect.stringMatching(/^decide @me\/backend@1\.0\.0: active$/u),
        "ended drwn: exit status 0",
      ]),
    );
  });

  test("opens the project no more often than it has to", async () => {
    const host = await guardedProject();
    const lines = ["write", "write --check", "doctor", "status", "list", "why @me/backend"];
    // The last one before its lock and under it.
    for (const [line, times] of [...lines.map((line) => [line, 1] as const), ["outdated", 2] as const]) {
      const end = await drwn(host, line, { env: { DRWN_DEBUG: "1" } });
      const reads = { config: times, lock: times, ledger: times };
      expect({ line, status: end.status, reads: readsOf(end) }).toEqual({ line, status: 0, reads });
    }
  });

  test("reads a ledger that it replaces before it plans, when it plans, before the first change and before its own", async () => {
    const host = await installed(GUARD);
    await trust(host);
    const end = await drwn(host, "write", { env: { DRWN_DEBUG: "1" } });
    expect(readsOf(end)).toEqual({ config: 1, lock: 1, ledger: 4 });
  });

  test("says nothing of it with DRWN_DEBUG=0", async () => {
    expect(traced(await drwn(newProject(), "status", { env: { DRWN_DEBUG: "0" } }))).toEqual([]);
  });

  test("tells what it writes, and the locks that it waited for", async () => {
    const host = await guardedProject();
    const settings = path.join(host.home, ".claude/settings.json");
    fs.rmSync(settings);
    const steps = traced(await drwn(host, "write --verbose"));
    expect(steps).toContain(`write ${settings}`);
    expect(steps).toContainEqual(expect.stringMatching(/^wait .*\.lock: held after \d+\.\d ms$/u));
  });

  test("answers with one JSON document all the same, and tells how a failure ended", async () => {
    const host = newProject();
    const { status, stdout, stderr } = await drwn(host, "add @a/nowhere --json --verbose");
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "DRWN_CARD_NOT_FOUND" } });
    expect(status).toBe(1);
    expect(stderr).toMatch(/decide {2}@a\/nowhere@any of folder:default: none|ended {3}drwn: with a failure/u);
  });

  test("doesn't take the words behind -- for its own", async () => {
    expect(traced(await drwn(newProject(), "add -- --verbose"))).toEqual([]);
  });
});

describe("secrets stay out of what a command says", () => {
  test("a token of npm's settings and one of the environment, to a server that is asked with both", async () => {
    const server = await serve((_, response) => {
      response.statusCode = 404;
      sendJson(response, {});
    });
    const host = newProject();
    const { host: name } = new URL(server.url);
    writeTree(host.home, { ".npmrc": `//${name}/:_authToken=${SECRET}\n` });
    const env = { DEPLOY_TOKEN: `${SECRET}-two`, npm_config_fetch_retries: "0" };
    await drwn(host, `registry add team ${server.url}`, { env });
    await drwn(host, "registry add team --scope @a", { env });
    const end = await drwn(host, `add @a/${SECRET}-two --verbose`, { env });
    expect(server.credentials).toContain(`Bearer ${SECRET}`);
    const steps = traced(end);
    expect(steps).toContainEqual(expect.stringMatching(/^read .*\/\.npmrc: settings of npm$/u));
    expect(steps).toContainEqual(expect.stringMatching(/^ask GET http:\/\/127\.0\.0\.1:\d+\/.*, with credentials$/u));
    expect(steps).toContainEqual(
      expect.stringMatching(/^ended GET http:\/\/127\.0\.0\.1:\d+\/.*: 404, after \d+\.\d ms$/u),
    );
    expect(steps.join("\n")).not.toContain(SECRET);
  });

  test("a password in an address that git is given", async () => {
    const host = newProject();
    const bin = path.join(temporaryFolder(), "bin");
    // Fails as git does, and reaches no network.
    writeTree(bin, { git: '#!/bin/sh\ncase "$*" in *://*) exit 128 ;; esac\n' });
    fs.chmodSync(path.join(bin, "git"), 0o755);
    const env = { PATH: `${bin}:${process.env["PATH"]}` };
    const end = await drwn(host, `add git+ssh://git:${SECRET}@127.0.0.1/x.git#v1.0.0 --verbose`, { env });
    const open = await drwn(host, "add git+ssh://git@127.0.0.1/x.git#v1.0.0 --verbose", { env });
    expect(traced(end).join("\n")).not.toContain(SECRET);
    expect(traced(open)).toContainEqual(expect.stringMatching(/^start git .*ssh:\/\/…@127\.0\.0\.1\/x\.git/u));
    expect(traced(open)).toContainEqual(expect.stringMatching(/^ended git: 128, after/u));
  });

  test("what an event holds", async () => {
    const host = await guardedProject();
    await write(host);
    const input = JSON.stringify({ prompt: SECRET });
    const end = await drwn(host, "hook run --event model.before --verbose", { input });
    expect(traced(end)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^start .*\/bin\/hook runner model\.before trace$/u),
        expect.stringMatching(/^write to the hook: an event of \d+ bytes/u),
        "decide model.before: none",
      ]),
    );
    expect(end.stderr).not.toContain(SECRET);
  });
});

const LIFECYCLE = `import { defineHook } from "darwinian-minds/hook-policy";
export default defineHook({ event: "model.before", run: () => ({ action: "retry", reason: "${SECRET}" }) })`;
const MODEL_HOOK: Partial<HookFacts> = { kind: "enforcement", matcher: null, phases: ["model.before"] };

async function projectWithHook(): Promise<TestHost> {
  const host = await installed({ hooks: { far: MODEL_HOOK }, files: { "hooks/far/policy.ts": LIFECYCLE } });
  await trust(host);
  await write(host);
  return host;
}

/** The lines of the project's only journal. */
function journalOf({ drwnHome }: TestHost): string[] {
  const [key = ""] = fs.readdirSync(path.join(drwnHome, "projects"));
  return fs.readFileSync(layout.journal(drwnHome, key), "utf8").trimEnd().split("\n");
}

describe("of the hook", () => {
  test("`hook run --verbose` tells what the hook process verified, ran and answered, and journals as ever", async () => {
    const host = await projectWithHook();
    const plain = await drwn(host, "hook run --event model.before", { input: "{}" });
    const end = await drwn(host, "hook run --event model.before --verbose", { input: "{}" });
    expect(end.stdout).toBe(plain.stdout);
    expect(plain.stderr).toBe("");
    expect(traced(end).filter((step) => step.startsWith("decide "))).toEqual([
      expect.stringMatching(/^decide hook process, \d[\d.]* ms after it started: plan sha256-[0-9a-f]{64} verified$/u),
      expect.stringMatching(/^decide @me\/backend@1\.0\.0#far: deny, after \S+ ms$/u),
      expect.stringMatching(
        /^decide hook process, \d[\d.]* ms after it started: deny \(deny by @me\/backend@1\.0\.0#far\)$/u,
      ),
      "decide model.before: hold",
    ]);
    expect(end.stderr).not.toContain(SECRET);
    const fields = journalOf(host).map((line) => Object.keys(JSON.parse(line)));
    expect(fields).toHaveLength(2);
    expect(fields[1]).toEqual(fields[0]);
  });

  test("`hook run --verbose` keeps inputs in the journal where a person asked for that", async () => {
    const host = await projectWithHook();
    await drwn(host, "log --inputs keep");
    await drwn(host, "hook run --event model.before --verbose", { input: '{"model":"m"}' });
    expect(journalOf(host).map((line) => JSON.parse(line).input)).toEqual([expect.stringContaining('"model":"m"')]);
  });

  test.each([
    ["of the hooks in force", "hook run --event model.before", {}],
    ["of another system's policies", "hook run --dialect=hooker", { event: "PreToolUse" }],
  ])("`hook run` takes no trace %s from the environment: an agent may read it", async (_, line, event) => {
    const host = await projectWithHook();
    const input = JSON.stringify(event);
    const plain = await drwn(host, line, { input });
    expect(await drwn(host, line, { input, env: { DRWN_DEBUG: "1" } })).toEqual(plain);
  });

  test("`explain --verbose` tells what each policy came to", async () => {
    const host = await guardedProject();
    await write(host);
    const steps = traced(await drwn(host, "explain --tool Bash --verbose"));
    expect(steps).toContainEqual(expect.stringMatching(/^decide @me\/backend@1\.0\.0#guard: deny, after \S+ ms$/u));
    expect(steps).toContainEqual(expect.stringMatching(/^start \S+\/bin\/hook claude-code pre/u));
  });

  test("an agent whose environment asks for it hears nothing else than ever", async () => {
    const host = await guardedProject();
    await write(host);
    const settings = JSON.parse(fs.readFileSync(path.join(host.home, ".claude/settings.json"), "utf8"));
    const { command, args } = settings.hooks.PreToolUse[0].hooks[0];
    expect(command).not.toMatch(/verbose|DRWN_DEBUG/u);
    const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd: host.cwd };
    const call = { program: command, words: args, input: JSON.stringify(event) };
    const env = { CLAUDE_PROJECT_DIR: host.cwd };
    const plain = await start(host, { ...call, env });
    expect(await start(host, { ...call, env: { ...env, DRWN_DEBUG: "1" } })).toEqual(plain);
    expect(plain).toMatchObject({ status: 0, stderr: "" });
  });
});
