import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { hasCode } from "../../src/kernel/files.ts";
import { sweep } from "../support/sweep.ts";
import { PROGRAM, SystemMachine, whyNoMachine } from "../support/system-machine.ts";

const CARD = "@me/floor";
const HOME = "/etc/home-of-nobody";
const PROJECT = `${HOME}/project`;
const DRWN = [process.execPath, PROGRAM];
const AS_NOBODY = ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];

interface Scope {
  flags: readonly string[];
  home: string;
  /** The words before a command that run it as the user of this scope. */
  words: readonly string[];
  /** The folder of an agent's calls. */
  cwd: string;
  entry(machine: SystemMachine): readonly string[];
}

const OF_USER = {
  home: `${HOME}/.agents/drwn`,
  words: [...AS_NOBODY, "/usr/bin/env", `HOME=${HOME}`],
  entry: (machine: SystemMachine) => {
    const { hooks } = JSON.parse(fs.readFileSync(machine.at("home-of-nobody/.claude/settings.json"), "utf8"));
    const { command, args } = hooks.PreToolUse[0].hooks[0];
    return [command, ...args];
  },
};

const SCOPES: Readonly<Record<string, Scope>> = {
  project: { ...OF_USER, flags: [], cwd: PROJECT },
  global: { ...OF_USER, flags: ["--global"], cwd: HOME },
  system: {
    flags: ["--system"],
    home: "/etc/drwn",
    words: ["/usr/bin/env", "HOME=/etc/roots-home"],
    cwd: HOME,
    entry: (machine) => machine.entry(),
  },
};

/** In a sample the ceiling is that of another scope than the law. */
const LATER_BY_ONE = [...Object.entries(SCOPES).slice(1), ...Object.entries(SCOPES).slice(0, 1)];

const why = whyNoMachine();

describe.skipIf(why !== undefined)(`one law for every scope (${why ?? "run as root"})`, { timeout: 600_000 }, () => {
  test.each(sweep(Object.entries(SCOPES), 1))("holds in the %s scope", (_, scope) => {
    const at = new Place(scope);
    at.publish("1.0.0");
    at.drwn("add", CARD);
    expect(at.state()).toBe("off");
    expect(at.drwn("card", "trust", CARD, "--hooks", "--digest", `drwn1-sha512-${"A".repeat(86)}`)).not.toBe(0);
    expect(at.state()).toBe("off");

    expect(at.drwn("card", "trust", CARD, "--hooks", "--yes", "--shadow")).toBe(0);
    expect([at.drwn("write"), at.call()]).toEqual([0, "passes"]);
    expect(at.drwn("card", "trust", CARD, "--hooks", "--yes", "--enforce")).toBe(0);
    expect([at.drwn("write"), at.call(), at.state()]).toEqual([0, "denied", "active"]);

    at.publish("1.0.1");
    expect([at.drwn("update"), at.drwn("write"), at.call(), at.state()]).toEqual([0, 0, "denied", "active"]);

    at.addHook("another");
    at.publish("1.1.0");
    expect([at.drwn("update"), at.drwn("write"), at.state()]).toEqual([0, 0, "waits"]);

    expect(at.drwn("card", "trust", CARD, "--hooks", "--yes")).toBe(0);
    expect([at.drwn("write"), at.call(), at.drwn("status", "--check")]).toEqual([0, "denied", 0]);
    const ledgers = at.file("ledger");
    const records = fs.readdirSync(ledgers).map((name) => path.join(ledgers, name));
    for (const record of records) fs.truncateSync(record, 5);
    expect([at.call("true"), at.drwn("status", "--check")]).toEqual(["denied", 3]);
    for (const record of records) fs.rmSync(record);
    expect([at.call("true"), at.drwn("status", "--check")]).toEqual(["denied", 3]);
    expect([at.drwn("card", "trust", CARD, "--hooks", "--yes"), at.drwn("write"), at.call()]).toEqual([0, 0, "denied"]);

    expect([at.drwn("card", "untrust", CARD), at.drwn("write"), at.call()]).toEqual([0, 0, "passes"]);
    at.publish("1.1.1");
    expect([at.drwn("update"), at.drwn("write"), at.call(), at.state()]).toEqual([0, 0, "passes", "off"]);
    expect(at.judged()).toContain("deny");
  });

  test.each(sweep(LATER_BY_ONE, 1))("has the same ceiling in the %s scope", (_, scope) => {
    const at = new Place(scope);
    at.publish("1.0.0");
    at.drwn("add", CARD);
    expect([at.drwn("card", "trust", CARD, "--hooks", "--yes"), at.drwn("write")]).toEqual([0, 0]);
    let policy = POLICY;
    const found = VERSIONS.map(([what, , from, to, gate = []], index) => {
      policy = policy.replace(from, to);
      at.setPolicy("gate", policy);
      at.publish(`1.${index + 1}.0`, { hooks: { include: ["gate"], capabilities: { gate } } });
      return [what, at.drwn("update"), at.state()];
    });
    expect(found).toEqual(VERSIONS.map(([what, state]) => [what, 0, state]));
    // What waits takes nothing away from the guard.
    expect([at.drwn("write"), at.call(), at.call("true")]).toEqual([0, "denied", "passes"]);
  });
});

class Place {
  readonly #machine = new SystemMachine();
  readonly #scope: Scope;
  said = "";

  constructor(scope: Scope) {
    this.#scope = scope;
    this.#run(scope.words, "mkdir", "-p", PROJECT, "/etc/sources");
    fs.chownSync(this.#machine.at("home-of-nobody/project"), 65_534, 65_534);
    fs.mkdirSync(this.#machine.at("sources"), { recursive: true });
    fs.chmodSync(this.#machine.at("sources"), 0o777);
    if (scope.flags.length === 0) this.#drwn("init");
    this.#drwn("key", "new", "@me");
    this.#drwn("card", "new", CARD, "--into", "/etc/sources");
    this.addHook("gate");
  }

  addHook(name: string): void {
    this.#drwn("card", "source", "add-hook", "/etc/sources/floor", name);
    this.setPolicy(name, POLICY);
  }

  setPolicy(name: string, text: string): void {
    fs.writeFileSync(this.#machine.at("sources/floor/hooks", name, "policy.ts"), text);
  }

  publish(version: string, more: object = {}): void {
    const file = this.#machine.at("sources/floor/card.json");
    const card = JSON.parse(fs.readFileSync(file, "utf8"));
    fs.writeFileSync(file, JSON.stringify({ ...card, version, ...more }));
    if (this.#drwn("card", "publish", "/etc/sources/floor") !== 0) throw new Error(this.said);
  }

  /** The status of the verb in this scope. */
  drwn(...words: string[]): number | null {
    return this.#drwn(...words, ...this.#scope.flags);
  }

  state(): string {
    this.drwn("list", "--json");
    return JSON.parse(this.said).cards[0].consent?.state ?? "off";
  }

  judged(): unknown[] {
    const { words, flags } = this.#scope;
    const who = flags.includes("--system") ? OF_USER.words : words;
    const { stdout } = this.#run(who, ...DRWN, "log", "--json", ...flags);
    return JSON.parse(stdout).calls.map(({ effective }: { effective: string }) => effective);
  }

  call(command = "touch x"): "denied" | "passes" {
    const event = JSON.stringify({
      ...{ session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: "t", cwd: this.#scope.cwd },
      tool_input: { command },
    });
    const entry = entryIn(this.#scope, this.#machine);
    if (entry === null) return "passes";
    const script = ["/bin/sh", "-c", 'event=$1; shift; printf %s "$event" | "$@"', "sh", event];
    const { status, stdout } = this.#run(OF_USER.words, ...script, ...entry);
    return status === 2 || stdout.includes('"deny"') ? "denied" : "passes";
  }

  file(name: string): string {
    return this.#machine.at(path.relative("/etc", this.#scope.home), name);
  }

  #drwn(...words: string[]): number | null {
    const { status, stdout, stderr } = this.#run(this.#scope.words, ...DRWN, ...words);
    this.said = stdout || stderr;
    return status;
  }

  #run(who: readonly string[], ...words: readonly string[]) {
    const env = this.#scope.flags.includes("--system") ? ["DRWN_HOME=/etc/drwn"] : [];
    const start = who === OF_USER.words ? [...who, ...words] : [...who, ...env, ...words];
    return this.#machine.script('cd "$1" 2>/dev/null; shift; exec "$@"', this.#scope.cwd, ...start);
  }
}

/** Null: the agent asks nobody, since nothing of drwn's is left in its settings. */
function entryIn({ entry }: Scope, machine: SystemMachine): readonly string[] | null {
  try {
    return entry(machine);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/**
 * Versions of the same policy, each made from the one before it and compared with the first, which was consented to.
 */
const VERSIONS: readonly [what: string, state: string, from: string, to: string, capabilities?: string[]][] = [
  ["other code", "joins", "not here", "nor here"],
  ["less time", "joins", "matcher:", "timeoutMs: 900, matcher:"],
  ["more time", "waits", "900", "9_000"],
  ["another tool", "waits", '"Bash"', '"Bash|Edit"'],
  ["another phase", "waits", "beforeToolCall:", "afterToolCall: () => {}, beforeToolCall:"],
  ["a capability", "waits", "", "", ["env"]],
];

const POLICY = `import { defineToolPolicy } from "darwinian-minds/hook-policy";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  beforeToolCall: ({ input }) =>
    JSON.stringify(input).includes("touch") ? { action: "deny", reason: "not here" } : undefined,
});
`;
