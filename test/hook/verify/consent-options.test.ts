import fs from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import type { OptionDeclarations } from "../../../src/contract/ledger.ts";
import { armHome, type LiteralPolicy } from "../../support/armed-home.ts";
import { reasonOf } from "../../support/hook-calls.ts";
import { removeWorlds } from "../../support/worlds.ts";

afterAll(removeWorlds);

const OPTIONS: OptionDeclarations = {
  allow: { type: "globs", default: ["user/*"], description: "Branches." },
  strict: { type: "boolean", default: false, description: "Strictly." },
};

/** Denies with what it sees, and with whether it can change it. */
const TELLS = `{ beforeToolCall(event) {
  const tried = (work) => { try { work(); return "changed"; } catch { return "kept"; } };
  const changes = event.options && [
    tried(() => { "use strict"; event.options.strict = 1; }),
    tried(() => { "use strict"; event.options.allow.push("**"); }),
    tried(() => { "use strict"; event.options.more = 1; }),
  ];
  return { action: "deny", reason: JSON.stringify([event.options, changes, event.cwd !== undefined]) };
} }`;

function told(policy: Partial<LiteralPolicy>, set?: Record<string, Record<string, boolean | string[]>>): unknown {
  const armed = armHome([{ policy: TELLS, hook: "guard", ...policy }]);
  const [grant] = armed.ledger.grants;
  if (set !== undefined && grant !== undefined) {
    armed.writeLedger({ ...armed.ledger, grants: [{ ...grant, options: set }] });
  }
  const said = reasonOf(armed.call());
  return JSON.parse(said.slice(said.indexOf("] ") + 2));
}

describe("the options of a policy", () => {
  test.each<[string, Partial<LiteralPolicy>]>([
    ["in the hook process", {}],
    ["in a process of its own", { capabilities: ["env"] }],
  ])("are its defaults, whole and frozen, %s", (_, policy) => {
    const kept = ["kept", "kept", "kept"];
    expect(told({ ...policy, options: OPTIONS })).toEqual([{ allow: ["user/*"], strict: false }, kept, true]);
  });

  test("are what the ledger says, without a new plan", () => {
    const set = { guard: { allow: ["try/*", "a,b"], gone: true }, other: { strict: true } };
    expect(told({ options: OPTIONS }, set)).toMatchObject([{ allow: ["try/*", "a,b"], strict: false }, {}, true]);
  });

  test("are not there where its card declares none, whatever the ledger says", () => {
    expect(told({}, { guard: { strict: true } })).toEqual([null, null, true]);
  });

  test("reach a lifecycle hook, too", () => {
    const armed = armHome([
      {
        policy: TELLS.replace("beforeToolCall", "run").replace("deny", "reject"),
        phases: ["prompt.submit"],
        options: OPTIONS,
      },
    ]);
    const { home, project, run } = armed;
    const input = JSON.stringify({ hook_event_name: "UserPromptSubmit", prompt: "hi", cwd: project, session_id: "s" });
    const said = run(`'${home}/bin/hook' claude-code prompt.submit`, { input });
    expect(said.stdout + said.stderr).toContain("user/*");
  });

  test.each([
    ["a list in the place of values", [1]],
    ["a text in the place of a hook's", { guard: "x" }],
  ])("in a ledger with %s block every call", (_, options) => {
    const armed = armHome([{ policy: TELLS, hook: "guard", options: OPTIONS }]);
    armed.writeLedger({ ...armed.ledger, grants: armed.ledger.grants.map((grant) => ({ ...grant, options })) });
    expect(reasonOf(armed.call())).toContain("is malformed");
  });

  test("change no byte of the plan", () => {
    const [without, withThem] = [{}, { options: OPTIONS }].map((more) => armHome([{ policy: TELLS, ...more }]));
    const text = ({ planFile, project }: ReturnType<typeof armHome>) =>
      fs.readFileSync(planFile, "utf8").replace(project, "");
    expect(withThem && text(withThem)).toBe(without && text(without));
  });
});
