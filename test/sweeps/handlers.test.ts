import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { compileHook } from "../../src/card/compiler/compile.ts";
import { inspectSource } from "../../src/card/source/inspect.ts";
import { type PackedCard, packSource } from "../../src/card/source/pack.ts";
import type { Capability } from "../../src/contract/plan.ts";
import { type ArmedHome, armHome } from "../support/armed-home.ts";
import { sourceWith, type Tree } from "../support/cards.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";
import { isRunning } from "../support/processes.ts";
import { extismModule, GROW_FOREVER, giveBack, LOOP_FOREVER, say, TRAP } from "../support/wasm-modules.ts";

interface HookParts {
  handler: Record<string, unknown>;
  terms?: Record<string, unknown>;
  capabilities?: Capability[];
  files?: Tree;
}

function sourceOf({ handler, terms = {}, capabilities = ["exec"], files = {} }: HookParts): string {
  const inFolder = Object.fromEntries(Object.entries(files).map(([name, text]) => [`hooks/guard/${name}`, text]));
  const text = JSON.stringify({ event: "tool.before", policyKind: "enforcement", ...terms, handler });
  return sourceWith({
    manifest: { hooks: { include: ["guard"], capabilities: { guard: capabilities } } },
    files: { ...inFolder, "hooks/guard/handler.json": text },
  });
}

/** The packed card, and a project in which its hook was consented to. */
async function armed(parts: HookParts): Promise<{ packed: PackedCard; home: ArmedHome }> {
  const packed = await packSource(sourceOf(parts));
  const [indexed] = packed.index.hooks;
  if (indexed === undefined) throw new Error("the card has no hook");
  const { kind, matcher, phases, timeoutMs, capabilities } = indexed;
  const { code } = await compileHook({ files: packed.files, hook: "guard", capabilities });
  const top = `const compiled = { exports: {} };\n((module, exports) => {${code}\n})(compiled, compiled.exports);`;
  const policy = { policy: "compiled.exports.default", top, kind, phases, timeoutMs, capabilities, hook: "guard" };
  return { packed, home: armHome([matcher === null ? policy : { ...policy, matcher }]) };
}

const BASH = { type: "command", command: "bash", script: "check.sh" };

describe("a hook that is a command", () => {
  test("is indexed, packed with its script, and says no to a call", async () => {
    const script = `read -r event\ncase "$event" in *'rm -rf'*) echo '{"action":"deny","reason":"no rm, '"$1 $LEVEL"'"}';; esac\n`;
    const { packed, home } = await armed({
      handler: { ...BASH, args: ["ever"], env: { LEVEL: "strict" } },
      terms: { matcher: "Bash", timeoutMs: 20_000 },
      files: { "check.sh": script },
    });
    expect(packed.index.hooks).toEqual([
      expect.objectContaining({
        name: "guard",
        kind: "enforcement",
        matcher: "Bash",
        phases: ["pre-tool"],
        timeoutMs: 20_000,
        capabilities: ["exec"],
        files: ["hooks/guard/check.sh", "hooks/guard/handler.json"],
      }),
    ]);
    expect(reasonOf(home.call({ tool_input: { command: "rm -rf /" } }))).toBe("[@me/guards#guard] no rm, ever strict");
    expect(verdictOf(home.call({ tool_input: { command: "ls" } }))).toBe("silence");
  });

  test("can be for any lifecycle event", async () => {
    const packed = await packSource(
      sourceOf({
        handler: { ...BASH },
        terms: { event: "turn.stop", policyKind: "observer", speaks: "claude" },
        files: { "check.sh": "exit 2" },
      }),
    );
    expect(packed.index.hooks).toMatchObject([{ name: "guard", phases: ["turn.stop"], kind: "observer" }]);
  });

  test("is not asked where its pattern is not in the input", async () => {
    const { home } = await armed({
      handler: { type: "command", command: "false" },
      terms: { inputPattern: '"command":"git push\\b' },
    });
    expect(verdictOf(home.call({ tool_input: { command: "git pull" } }))).toBe("silence");
    expect(reasonOf(home.call({ tool_input: { command: "git push" } }))).toContain("ended with 1");
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    [
      "is not there",
      { type: "command", command: "drwn-no-such-program" },
      /cannot be started: there is no such program/u,
    ],
    ["fails", { ...BASH, args: ["exit 3"] }, /ended with 3/u],
    ["answers with two documents", { ...BASH, args: ["echo '{}{}'"] }, /not one JSON document/u],
    ["answers with what is no decision", { ...BASH, args: [`echo '{"action":"perhaps"}'`] }, /decision/u],
    ["is killed", { ...BASH, args: ["kill -9 $$"] }, /was ended by SIGKILL/u],
    ["writes 100 MB", { ...BASH, args: ["head -c 100000000 /dev/zero | tr '\\0' x"] }, /more than 65536 bytes/u],
  ])("blocks the call when it %s", async (_, handler, reason) => {
    const { home } = await armed({ handler, terms: { timeoutMs: 20_000 }, files: { "check.sh": 'eval "$1"' } });
    expect(reasonOf(home.call())).toMatch(reason);
  });

  test("blocks the call when its answer begins after more than is read, and by its code however much it says", async () => {
    const script = `head -c 70000 /dev/zero | tr '\\0' ' '\necho '{"decision":"block","reason":"no"}'\n`;
    const cut = { handler: BASH, terms: { speaks: "claude" }, files: { "check.sh": script } };
    expect(reasonOf((await armed(cut)).home.call())).toMatch(/printed more than 65536 bytes/u);
    const coded = { ...cut, files: { "check.sh": `${script}echo why >&2; exit 2\n` } };
    expect(reasonOf((await armed(coded)).home.call())).toBe("[@me/guards#guard] why");
  });

  test("blocks the call at its deadline, and nothing that it started is left", async () => {
    const script = `trap '' TERM\n(trap '' TERM; exec sleep 60) &\necho $! > "$1"\nexec 0<&-\nwait\n`;
    const parts = { handler: { ...BASH, args: ["pid"] }, terms: { timeoutMs: 3_000 }, files: { "check.sh": script } };
    const { home } = await armed(parts);
    expect(reasonOf(home.call())).toMatch(/3000 ms/u);
    const pid = Number(fs.readFileSync(path.join(home.project, "pid"), "utf8"));
    expect(pid).toBeGreaterThan(1);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test("sees of the environment what programs need, and more where that was consented to", async () => {
    const handler = { ...BASH, script: "check.sh" };
    const files = { "check.sh": `echo '{"action":"deny","reason":"'"$SECRET"-"\${PATH:+path}"'"}'` };
    const held = await armed({ handler, files });
    const open = await armed({ handler, files, capabilities: ["env", "exec"] });
    const reasons = [held, open].map(({ home }) => reasonOf(home.call({}, { env: { SECRET: "s" } })));
    expect(reasons).toEqual(["[@me/guards#guard] -path", "[@me/guards#guard] s-path"]);
  });

  test("as Arawn's hooks are: tool and params, and every code but 0 is a no", async () => {
    const { home } = await armed({
      handler: BASH,
      terms: { speaks: "arawn" },
      files: { "check.sh": "cat; exit 7" },
    });
    expect(reasonOf(home.call({ tool_name: "Bash", tool_input: { command: "ls" } }))).toBe(
      '[@me/guards#guard] {"tool":"shell","params":{"command":"ls"}}',
    );
  });
});

/**
 * A server in a separate process, since a call of the hook keeps this one waiting. It answers each path with what is
 * listed.
 */
async function serverOf(
  answers: Record<string, { status?: number; body?: string; location?: string }>,
): Promise<string> {
  const program = `require("node:http").createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => { text += chunk; });
    request.on("end", () => {
      const { status = 200, body, location } = JSON.parse(process.argv[1])[request.url] ?? { status: 404 };
      response.writeHead(status, location === undefined ? {} : { location });
      const { tool_name } = { tool_name: JSON.parse(text).toolName };
      const said = [request.method, request.headers["x-token"], tool_name].join(" ");
      if (status > 0) response.end(body ?? JSON.stringify({ action: "deny", reason: said }));
    });
  }).listen(0, "127.0.0.1", function () { console.log(this.address().port); });`;
  const server = spawn(process.execPath, ["-e", program, JSON.stringify(answers)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [port]: unknown[] = await once(server.stdout, "data");
  return `http://127.0.0.1:${String(port).trim()}`;
}

describe("a hook that is a server", () => {
  test("is sent the event, with its headers, and says no", async () => {
    const url = await serverOf({ "/judge": {} });
    const handler = { type: "http", url: `${url}/judge`, headers: { "x-token": "t-1" } };
    const { packed, home } = await armed({ handler, capabilities: ["net"] });
    expect(packed.index.hooks[0]?.capabilities).toEqual(["net"]);
    expect(reasonOf(home.call({ tool_name: "Bash" }))).toBe("[@me/guards#guard] POST t-1 Bash");
  });

  test.each<[string, string, RegExp]>([
    ["is not there", "/gone", /answers with status 404/u],
    ["fails", "/broken", /answers with status 500/u],
    ["leads elsewhere", "/moved", /redirect/u],
    ["answers HTML", "/page", /not one JSON document/u],
  ])("blocks the call when it %s", async (_, page, reason) => {
    const url = await serverOf({
      "/broken": { status: 500 },
      "/moved": { status: 302, location: "/judge" },
      "/page": { body: "<html>" },
    });
    const { home } = await armed({ handler: { type: "http", url: url + page }, capabilities: ["net"] });
    expect(reasonOf(home.call())).toMatch(reason);
  });

  test.each<[string, string, RegExp | null]>([
    ["HTML", "<html>Please log in</html>", /not one JSON document/u],
    ["JSON text", '"allow"', /isn't an object/u],
    ["a no", '{"decision":"block","reason":"not here"}', /not here/u],
    ["nothing", "", null],
  ])("in Claude Code's words: %s as the answer", async (_, body, reason) => {
    const url = await serverOf({ "/judge": { body } });
    const handler = { type: "http", url: `${url}/judge` };
    const result = (await armed({ handler, terms: { speaks: "claude" }, capabilities: ["net"] })).home.call();
    if (reason === null) expect(verdictOf(result)).toBe("silence");
    else expect(reasonOf(result)).toMatch(reason);
  });
});

const MODULE = extismModule({
  functions: {
    handle: say('{"action":"deny","reason":"module says no"}'),
    quiet: giveBack(0),
    bare: giveBack(7),
    trap: TRAP,
    loop: LOOP_FOREVER,
    grow: GROW_FOREVER,
  },
});

describe("a hook that is a WebAssembly module", () => {
  const wasm = (name?: string): HookParts => ({
    handler: { type: "wasm", module: "guard.wasm", ...(name === undefined ? {} : { function: name }) },
    terms: { timeoutMs: name === "loop" ? 2_000 : 20_000 },
    capabilities: ["wasm"],
    files: { "guard.wasm": MODULE },
  });

  test("is shipped in the card, and says no", async () => {
    const { packed, home } = await armed(wasm());
    expect(packed.index.hooks[0]?.files).toEqual(["hooks/guard/guard.wasm", "hooks/guard/handler.json"]);
    expect(reasonOf(home.call())).toBe("[@me/guards#guard] module says no");
  });

  test.each<[string, RegExp | null]>([
    ["quiet", null],
    ["bare", /ended with 7/u],
    ["trap", /the module fails/u],
    ["loop", /2000 ms/u],
    ["grow", /the module fails/u],
    ["nothing", /has no function nothing/u],
  ])("with the function `%s`: %s", async (name, reason) => {
    const result = (await armed(wasm(name))).home.call();
    if (reason === null) expect(verdictOf(result)).toBe("silence");
    else expect(reasonOf(result)).toMatch(reason);
  });
});

describe("a handler.json that is refused names file, field and fault", () => {
  const fault = async (parts: HookParts): Promise<string> => {
    const { findings } = await inspectSource(sourceOf(parts));
    return findings
      .filter(({ severity }) => severity === "error")
      .map(({ message }) => message)
      .join("\n");
  };

  test.each<[string, HookParts, RegExp]>([
    ["an unknown kind", { handler: { type: "magic" } }, /handler\.json, line 1: `handler\.type`/u],
    [
      "an unknown key",
      { handler: { type: "command", command: "x", shell: true } },
      /`handler\.shell` should be absent/u,
    ],
    ["an unknown event", { handler: BASH, terms: { event: "before" } }, /`event` should be/u],
    [
      "a pattern that is none",
      { handler: BASH, terms: { inputPattern: "(" } },
      /`inputPattern` should be.*not closed/u,
    ],
    [
      "a matcher that is none",
      { handler: { type: "command", command: "x" }, terms: { matcher: "[" } },
      /handler\.json:1: .*matcher/u,
    ],
    [
      "a script that is missing",
      { handler: BASH },
      /`handler\.script` names hooks\/guard\/check\.sh, which is not in the card/u,
    ],
    ["a script outside", { handler: { ...BASH, script: "../x.sh" } }, /`handler\.script` should be/u],
    [
      "no interpreter",
      { handler: { ...BASH, command: "cat" }, files: { "check.sh": "" } },
      /`cat` isn't an interpreter/u,
    ],
    ["a script that isn't text", { handler: BASH, files: { "check.sh": Buffer.from([0xff, 0]) } }, /it isn't text/u],
    ["a script too long", { handler: BASH, files: { "check.sh": "#".repeat(130_000) } }, /longer than 120000/u],
    [
      "a server in Arawn's words",
      { handler: { type: "http", url: "https://a.b/" }, terms: { speaks: "arawn" }, capabilities: ["net"] },
      /handler\.json, line 1: `speaks` should be `claude` or `drwn` for a server/u,
    ],
    ["no capability", { handler: BASH, capabilities: [], files: { "check.sh": "" } }, /needs the capability exec/u],
    ["a policy beside it", { handler: BASH, files: { "check.sh": "", "policy.ts": "export default {}" } }, /has both/u],
  ])("%s", async (_, parts, message) => {
    expect(await fault(parts)).toMatch(message);
  });
});
