import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { ANSWERED } from "../../../src/contract/protocol.ts";
import { digestOf } from "../../../src/kernel/digest.ts";
import { type ArmedHome, armHome, hookNode, type LiteralPolicy, write } from "../../support/armed-home.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";
import { SYSTEM_SHELLS } from "../../support/shells.ts";
import { insteadOfNode } from "../launched.ts";

const measuring: LiteralPolicy = {
  policy: `{ beforeToolCall: ({ input }) => ({ action: "deny", reason: String(input.content.length) }) }`,
  phases: ["pre-tool", "post-tool"],
};

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("");
const SUM = `{ beforeToolCall: ({ input: { content } }) => ({ action: "deny", reason: content.length + " " + (${sum})(content) }) }`;

/** Of every character and its place. */
function sum(text: string): number {
  let all = 0;
  for (let at = 0; at < text.length; at++) all = (all * 31 + text.charCodeAt(at)) % 1_000_003;
  return all;
}

/** The project's files that hold an event. */
function eventsKept({ home, key }: ArmedHome): string[] {
  return fs.readdirSync(layout.project(home, key)).filter((name) => name.startsWith("event-"));
}

/** How often Node was started, and of these how often with the fixed hash seed. */
function countStarts(armed: ArmedHome): () => [number, number] {
  const asked = path.join(armed.world, "asked");
  insteadOfNode(armed, `echo "$*" >>'${asked}'`);
  return () => {
    const starts = fs.readFileSync(asked, "utf8").trimEnd().split("\n");
    return [starts.length, starts.filter((start) => start.includes("--no-rehash-snapshot")).length];
  };
}

describe("an event before a call", () => {
  test.each([
    ["small is judged at once", 100, [1, 1]],
    ["large is left to a process with a secret hash seed", 40_000, [2, 1]],
    ["larger than files mostly are, too", 400_000, [2, 1]],
  ])("that is %s", (_, length, starts) => {
    const armed = armHome([measuring]);
    const started = countStarts(armed);
    expect(reasonOf(armed.call({ tool_input: { content: "x".repeat(length) } }))).toBe(
      `[@me/guards#guard-0] ${length}`,
    );
    expect([started(), eventsKept(armed)]).toEqual([starts, []]);
  });

  test("that is large is judged by the plan that came into force meanwhile, in processes that suffice for it", () => {
    const armed = armHome(["@a/a", "@b/b"].map((card) => ({ ...measuring, card, publisher: card })));
    const { home, key, planFile, ledger } = armed;
    const next = `${fs.readFileSync(planFile, "utf8")}\n`;
    write(layout.plan(home, key, digestOf(next)), next);
    const ledgerOfNext = path.join(armed.world, "ledger.json");
    write(ledgerOfNext, JSON.stringify({ ...ledger, plan: digestOf(next) }));
    write(layout.confined(home, key), `20 ${ledger.plan} pre small\n`);
    insteadOfNode(
      armed,
      `case " $* " in *" --no-rehash-snapshot "*) ;; *) cp '${ledgerOfNext}' '${layout.ledger(home, key)}' ;; esac`,
    );
    const result = armed.call({ tool_input: { content: "x".repeat(40_000) } });
    expect(reasonOf(result)).toContain("[@a/a#guard-0] 40000");
    expect([armed.journal().map(({ verdict }) => verdict), eventsKept(armed)]).toEqual([["deny"], []]);
  });

  test.each<[string, (armed: ArmedHome) => void]>([
    ["texts of the project are large", ({ home, key }) => edit(layout.confined(home, key), / small$/mu, "")],
  ])("is hashed anew where the %s", (_, change) => {
    const armed = armHome([measuring]);
    change(armed);
    const started = countStarts(armed);
    expect(reasonOf(armed.call({ tool_input: { content: "x" } }))).toBe("[@me/guards#guard-0] 1");
    expect(started()).toEqual([1, 0]);
  });

  test.each<[string, string, string]>([
    ["characters of several bytes, one of them cut", "", `a${"\u00e9\u20ac\u{1f600}".repeat(8_000)}`],
    ["all that a shell takes for something", "", `${ASCII.repeat(300)}\n\n`],
    ["line breaks up to where it is cut", "\n".repeat(32_768), "x"],
  ])("that is large is handed on whole: %s", (_, before, content) => {
    const armed = armHome([{ ...measuring, policy: SUM }]);
    const input = `${before}${JSON.stringify({ tool_name: "Write", tool_input: { content } })}`;
    expect(reasonOf(armed.call({}, { input }))).toBe(`[@me/guards#guard-0] ${content.length} ${sum(content)}`);
  });

  test("that is large and has a byte that no shell can hold is blocked", () => {
    const input = `{"tool_name":"Write","tool_input":{"content":"${"x".repeat(20_000)}\0${"x".repeat(20_000)}"}}`;
    expect(reasonOf(armHome([measuring]).call({}, { input }))).toContain("the event that the agent sent is not JSON");
  });

  test("that is large and begins like the word of a hook that has answered isn't taken for it", () => {
    const armed = armHome([measuring]);
    insteadOfNode(
      armed,
      `case " $* " in *" --no-rehash-snapshot "*) '${hookNode().execPath}' "$@"; kill -KILL $$ ;; esac`,
    );
    expect(verdictOf(armed.call({}, { input: `${ANSWERED}:${"x".repeat(40_000)}` }))).toBe("block");
  });
});

test("a large event is handed on past a printf of somebody else's by a shell that has its own on the PATH alone", ({
  skip,
}) => {
  const mksh = SYSTEM_SHELLS.find(({ name }) => name === "mksh")?.program;
  skip(mksh === undefined, "mksh is not installed");
  const armed = armHome([measuring]);
  const other = path.join(armed.world, "bin/printf");
  write(other, `#!/bin/sh\necho '{"tool_name":"Write","tool_input":{"content":""}}'\n`);
  fs.chmodSync(other, 0o755);
  const input = JSON.stringify({ tool_name: "Write", tool_input: { content: "x".repeat(40_000) } });
  const command = `PATH='${path.dirname(other)}':$PATH '${mksh}' '${layout.launcher(armed.home)}' claude-code pre`;
  expect(reasonOf(armed.run(command, { input }))).toBe("[@me/guards#guard-0] 40000");
});

test("a large event is blocked where the process that was to judge it is killed", () => {
  const armed = armHome([measuring]);
  insteadOfNode(armed, `case " $* " in *" --no-rehash-snapshot "*) ;; *) kill -KILL $$ ;; esac`);
  const verdict = verdictOf(armed.call({ tool_input: { content: "x".repeat(40_000) } }));
  expect([verdict, eventsKept(armed)]).toEqual(["block", []]);
});

test("an event after a call is hashed anew, since results are large", () => {
  const armed = armHome([{ ...measuring, policy: "{ afterToolCall: () => {} }", phases: ["post-tool"] }]);
  const started = countStarts(armed);
  armed.call({ tool_response: { stdout: "x".repeat(40_000) } }, { phase: "post" });
  expect(started()).toEqual([1, 0]);
});

test("a hook that was handed nothing on blocks", () => {
  const armed = armHome([measuring]);
  insteadOfNode(armed, `case " $* " in *" --no-rehash-snapshot "*) exit 102 ;; esac`);
  expect(verdictOf(armed.call())).toBe("block");
});

function edit(file: string, from: RegExp, to: string): void {
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(from, to));
}
