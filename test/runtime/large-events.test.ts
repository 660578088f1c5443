import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { digestOf } from "../../src/kernel/digest.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { type ArmedHome, armHome, type LiteralPolicy, write } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";
import { insteadOfNode } from "./launched.ts";

const measuring: LiteralPolicy = {
  policy: `{ beforeToolCall: ({ input }) => ({ action: "deny", reason: String(input.content.length) }) }`,
  phases: ["pre-tool", "post-tool"],
};

/** The project's files that hold an event. */
function eventsKept({ home, key }: ArmedHome): string[] {
  return fs.readdirSync(layout.project(home, key)).filter((name) => name.startsWith("event-"));
}

/** How often Node was started, and of these how often with hashes that anybody can foretell. */
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
    ["large is left to a process whose hashes nobody foretells", 40_000, [2, 1]],
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
    ["note is of an earlier version", ({ home, key }) => write(layout.confined(home, key), "10 pre\n")],
  ])("is hashed anew where the %s", (_, change) => {
    const armed = armHome([measuring]);
    change(armed);
    const started = countStarts(armed);
    expect(reasonOf(armed.call({ tool_input: { content: "x" } }))).toBe("[@me/guards#guard-0] 1");
    expect(started()).toEqual([1, 0]);
  });

  test("that is large blocks where it cannot be kept, and leaves nothing behind", () => {
    const armed = armHome([measuring]);
    const command = hookCommand({ home: armed.home, runtime: "claude-code", phase: "pre" });
    const event = { tool_name: "Write", tool_input: { content: "x".repeat(400_000) } };
    const result = armed.run(`ulimit -f 100; ${command}`, { input: JSON.stringify(event) });
    expect(verdictOf(result)).toBe("deny");
    expect(reasonOf(result)).toContain("has more than 32768 bytes, and could not be kept");
    expect(eventsKept(armed)).toEqual([]);
  });

  test.each<[string, (file: string, elsewhere: string) => void]>([
    ["a link", (file, elsewhere) => fs.symlinkSync(elsewhere, file)],
    ["the event of a process that was killed", (file) => fs.writeFileSync(file, "{}")],
  ])("that is large blocks where %s lies in its place, which is there no more for the next", (_, put) => {
    const armed = armHome([measuring]);
    const elsewhere = path.join(armed.world, "elsewhere");
    write(elsewhere, "theirs");
    // The launcher's own number is known when it starts Node: the last of its words is the file's name.
    const file = path.join(layout.project(armed.home, armed.key), "event-1");
    put(file, elsewhere);
    const started = `for last; do :; done; mv '${file}' "$last" 2>/dev/null`;
    insteadOfNode(armed, started);
    const result = armed.call({ tool_input: { content: "x".repeat(40_000) } });
    expect([verdictOf(result), eventsKept(armed)]).toEqual(["deny", []]);
    expect(reasonOf(result)).toContain("could not be kept for the process that reads such (EEXIST)");
    expect(fs.readFileSync(elsewhere, "utf8")).toBe("theirs");
  });
});

test.each([
  ["was to judge it", `case " $* " in *" --no-rehash-snapshot "*) ;; *) kill -KILL $$ ;; esac`],
  ["has just laid it there", `for last; do :; done; echo secret >"$last"; kill -KILL $$`],
])("a large event is gone although the process that %s is killed", (_, program) => {
  const armed = armHome([measuring]);
  insteadOfNode(armed, program);
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
