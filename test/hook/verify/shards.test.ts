import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { POLICIES_IN_ONE_PLAN } from "../../../src/contract/plan.ts";
import { loadState } from "../../../src/hook/verify/load-state.ts";
import { digestOf } from "../../../src/kernel/digest.ts";
import { type ArmedHome, armHome, type LiteralPolicy } from "../../support/armed-home.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";

const NOW = Date.parse("2026-02-01T00:00:00.000Z");

const says = (hook: string, matcher?: string): LiteralPolicy => ({
  hook,
  ...(matcher === undefined ? {} : { matcher }),
  policy: `{ beforeToolCall() { return { action: "deny", reason: "${hook}" }; } }`,
});

/** As many as make a plan large, none of which wants what the tests call. */
const others: LiteralPolicy[] = Array.from({ length: POLICIES_IN_ONE_PLAN }, (_, index) => ({
  hook: `other-${index}`,
  card: "@me/others",
  matcher: `Other${index}`,
  policy: "{ beforeToolCall() { throw new Error('asked'); } }",
}));

function large(...policies: LiteralPolicy[]): ArmedHome {
  return armHome([...policies, ...others]);
}

function shardFiles({ home, key }: ArmedHome): string[] {
  const folder = path.dirname(layout.shard(home, key, "x"));
  return fs.readdirSync(folder).map((name) => path.join(folder, name));
}

function shardWith(armed: ArmedHome, text: string): string {
  const found = shardFiles(armed).filter((file) => fs.readFileSync(file, "utf8").split("\n")[0]?.includes(text));
  expect(found).toHaveLength(1);
  return found[0] ?? "";
}

function hooksFor(armed: ArmedHome, ...names: string[]): string[] {
  const state = loadState(armed, NOW, { names, phase: "pre-tool" });
  return state.kind === "live" ? state.policies.map(({ hook }) => hook) : [state.kind];
}

describe("a plan of more than twenty policies", () => {
  test("is decided by the policies that want the tool, in the order of the plan, whatever file each lies in", () => {
    const armed = large(says("glob", "B*"), says("named", "Bash"), says("everything"));
    expect(reasonOf(armed.call())).toBe("[@me/guards#glob] glob");
    expect(hooksFor(armed, "Bash")).toEqual(["glob", "named", "everything"]);
    expect(hooksFor(armed, "Read")).toEqual(["everything"]);
    expect(armed.journal().at(-1)).toMatchObject({ tool: "Bash", verdict: "deny" });
  });

  test("a call reads no file of other tools", () => {
    const armed = large(says("named", "Bash"));
    const own = shardWith(armed, '"named"');
    for (const file of shardFiles(armed)) if (file !== own) fs.rmSync(file);
    expect(reasonOf(armed.call())).toBe("[@me/guards#named] named");
    expect(verdictOf(armed.call({ tool_name: "Read" }))).toBe("silence");
  });

  test("no call that no policy wants is stopped, and it is in the journal", () => {
    const armed = large(says("named", "Bash"));
    expect(verdictOf(armed.call({ tool_name: "Nothing" }))).toBe("silence");
    expect(armed.journal()).toHaveLength(1);
  });

  test("a policy that names several tools is asked once, also when a tool has several names", () => {
    const armed = large(says("both", "Bash|Shell"));
    expect(hooksFor(armed, "Bash", "Shell")).toEqual(["both"]);
  });

  test("a policy that names the tool by any of its names is asked", () => {
    expect(hooksFor(large(says("named", "Bash")), "shell_command", "Bash")).toEqual(["named"]);
  });

  test("a guard whose expression does not work is asked about every tool", () => {
    const armed = large({ ...says("broken"), match: "(" });
    expect(reasonOf(armed.call())).toBe("[@me/guards#broken] broken");
  });

  test("policies are asked at their own phases only", () => {
    const armed = large({ ...says("after", "Bash"), phases: ["post-tool"] });
    expect(hooksFor(armed, "Bash")).toEqual([]);
  });

  test.each([
    ["missing", (file: string) => fs.rmSync(file), "missing"],
    ["altered", (file: string) => fs.appendFileSync(file, " "), "altered"],
    ["cut off", (file: string) => fs.truncateSync(file, 10), "altered"],
  ])("its file being %s blocks the calls that it is for", (_, damage, how) => {
    const armed = large(says("named", "Bash"));
    damage(shardWith(armed, '"named"'));
    const result = armed.call();
    expect(verdictOf(result)).toBe("deny");
    expect(reasonOf(result)).toContain(`a compiled policy of this project is ${how}`);
    expect(reasonOf(result)).toContain("drwn write");
    expect(verdictOf(armed.call({ tool_name: "Read" }))).toBe("silence");
  });

  test("doctor's question finds a file that no call has asked for yet", () => {
    const armed = large(says("named", "Bash"));
    expect(verdictOf(armed.call({ tool_name: "drwn:canary" }))).toBe("told");
    fs.rmSync(shardWith(armed, '"other-7"'));
    expect(verdictOf(armed.call({ tool_name: "drwn:canary" }))).toBe("deny");
  });

  test("an event that cannot be read is blocked as long as any policy guards", () => {
    expect(verdictOf(large(says("named", "Bash")).call({}, { input: "{" }))).toBe("deny");
  });
});

type Entry = Record<string, unknown>;

/** The same machine, where another version of drwn wrote the shard. */
function reprint(armed: ArmedHome, file: string, change: (entries: Entry[]) => unknown[]): void {
  const [head = "", ...code] = fs.readFileSync(file, "utf8").split("\n");
  const { policies }: { policies: Entry[] } = JSON.parse(head.slice(2));
  const shard = [`//${JSON.stringify({ policies: change(policies) })}`, ...code].join("\n");
  const plan = fs.readFileSync(armed.planFile, "utf8").replace(path.basename(file, ".cjs"), digestOf(shard));
  fs.writeFileSync(layout.shard(armed.home, armed.key, digestOf(shard)), shard);
  fs.writeFileSync(layout.plan(armed.home, armed.key, digestOf(plan)), plan);
  armed.writeLedger({ ...armed.ledger, plan: digestOf(plan) });
}

describe("what the policies of one file have in common", () => {
  const three = () =>
    large(says("first", "Bash"), { ...says("other", "Bash"), kind: "observer" }, says("third", "Bash"));
  const whole = (entries: Entry[]) => entries.map((_, at) => Object.assign({}, ...entries.slice(0, at + 1)));

  test("is said once, and holds for each", () => {
    const armed = three();
    reprint(armed, shardWith(armed, '"third"'), (entries) => {
      expect(entries.map((entry) => [entry["hook"], entry["kind"], "matcher" in entry])).toEqual([
        ["first", "enforcement", true],
        ["other", "observer", false],
        ["third", "enforcement", false],
      ]);
      return entries;
    });
    const state = loadState(armed, NOW, { names: ["Bash"], phase: "pre-tool" });
    expect(state).toMatchObject({
      policies: [
        { hook: "first", kind: "enforcement", matcher: "Bash" },
        { hook: "other", kind: "observer", matcher: "Bash" },
        { hook: "third", kind: "enforcement", matcher: "Bash" },
      ],
    });
  });

  const damaged: [how: string, change: (entries: Entry[]) => unknown[], hooks: string[]][] = [
    ["is said by each", whole, ["first", "other", "third"]],
    ["is nothing that a policy could have", ([first, ...rest]) => [{ ...first, timeoutMs: 0 }, ...rest], ["damaged"]],
    ["is not said by the first", ([first, ...rest]) => [{ ...first, matcher: undefined }, ...rest], ["damaged"]],
    ["is followed by no policy", (entries) => [...entries, null], ["damaged"]],
    ["is followed by a field that is none", (entries) => [...entries, { kind: "guard" }], ["damaged"]],
    ["is followed by a place that is none", (entries) => [...entries, { order: -1 }], ["damaged"]],
  ];

  test.each(damaged)("where it %s", (_, change, hooks) => {
    const armed = three();
    reprint(armed, shardWith(armed, '"third"'), change);
    expect(hooksFor(armed, "Bash")).toEqual(hooks);
  });
});

describe("consent in a plan of more than twenty policies", () => {
  test("a card that was untrusted is silent at the next call, and its neighbours in the file are not", () => {
    const armed = large({ ...says("mine", "Bash"), card: "@me/gone" }, says("stays", "Bash"));
    expect(reasonOf(armed.call())).toBe("[@me/gone#mine] mine");
    const grants = armed.ledger.grants.map((grant) =>
      grant.card === "@me/gone" ? { ...grant, revokedAt: "2026-01-31T00:00:00.000Z" } : grant,
    );
    armed.writeLedger({ ...armed.ledger, grants });
    expect(reasonOf(armed.call())).toBe("[@me/guards#stays] stays");
    armed.writeLedger({ ...armed.ledger, grants: grants.map((grant) => ({ ...grant, revokedAt: "2026-01-31" })) });
    expect(verdictOf(armed.call())).toBe("silence");
    expect(hooksFor(armed, "Bash")).toEqual(["silent"]);
  });

  test("a policy whose bytes nobody approved blocks", () => {
    const armed = large(says("named", "Bash"));
    const grants = armed.ledger.grants.map((grant) => ({
      ...grant,
      approved: grant.approved.map((approval) => ({
        ...approval,
        bundles: { ...approval.bundles, named: "sha256-0" },
      })),
    }));
    armed.writeLedger({ ...armed.ledger, grants });
    expect(reasonOf(armed.call())).toContain("which you did not consent to");
  });

  test("a plan that has fewer hooks of a card than its consent blocks, whatever tool is called", () => {
    const armed = large(says("named", "Bash"));
    const grants = armed.ledger.grants.map((grant) => ({
      ...grant,
      approved: grant.approved.map((approval) => ({
        ...approval,
        bundles: { ...approval.bundles, further: "sha256-0" },
        hooks: [...approval.hooks, { ...approval.hooks[0], name: "further" }],
      })),
    }));
    armed.writeLedger({ ...armed.ledger, grants });
    expect(reasonOf(armed.call({ tool_name: "Read" }))).toContain("asks less of");
  });
});

describe("code in a plan of more than twenty policies", () => {
  const broken: [what: string, policy: LiteralPolicy][] = [
    ["is no JavaScript", { ...says("bad", "Bash"), top: "this is nothing" }],
    ["closes what surrounds it", { ...says("bad", "Bash"), top: "}),(function(){" }],
    ["throws while it is loaded", { ...says("bad", "Bash"), top: "throw new Error('early');" }],
  ];

  test.each(broken)("of an enforcement policy that %s denies in its own name", (_, policy) => {
    const result = large(policy, { ...says("good", "Bash"), policy: "{ beforeToolCall() {} }" }).call();
    expect(verdictOf(result)).toBe("deny");
    expect(reasonOf(result)).toMatch(/^\[@me\/guards#bad\] the policy /u);
  });

  test.each(broken)("of an observer that %s takes no other policy down", (_, policy) => {
    const result = large({ ...policy, kind: "observer" }, says("good", "Bash")).call();
    expect(reasonOf(result)).toBe("[@me/guards#good] good");
  });

  test("is strict, and shares no variable with its neighbours", () => {
    const policy = "{ beforeToolCall() { return { action: 'deny', reason: typeof secret + typeof this0 }; } }";
    const first: LiteralPolicy = {
      policy: "{ beforeToolCall() {} }",
      hook: "first",
      matcher: "Bash",
      top: "var secret;",
    };
    const second: LiteralPolicy = {
      policy,
      hook: "second",
      matcher: "Bash",
      top: "var this0 = (function () { return this; })();",
    };
    expect(reasonOf(large(first, second).call())).toBe("[@me/guards#second] undefinedundefined");
  });

  test("of a policy with capabilities runs in a process of its own", () => {
    const policy = "{ beforeToolCall() { return { action: 'deny', reason: String(require('node:os').EOL.length) }; } }";
    const armed = large({ hook: "child", matcher: "Bash", capabilities: ["env"], policy });
    expect(reasonOf(armed.call())).toBe("[@me/guards#child] 1");
  });
});
