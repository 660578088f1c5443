import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createSource } from "../../../src/card/source/create.ts";
import { addHook, type HookTemplate } from "../../../src/card/source/edit-source.ts";
import SourceDoctor from "../../../src/cli/commands/card/source/doctor.ts";
import { doctorSource } from "../../../src/operations/author/inspect-source.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { testHost } from "../../support/host.ts";

const README = "# watch: what it does\n";

interface Written {
  template?: HookTemplate;
  policy?: string;
  readme?: string;
}

/** A source with one hook of this template, and what its author wrote over it. */
function makeSource({ template = "hook", policy, readme }: Written): string {
  const source = path.join(temporaryFolder(), "source");
  createSource({ dir: source, name: "@me/backend" });
  addHook(source, "watch", { template });
  const folder = path.join(source, "hooks/watch");
  if (policy !== undefined) fs.writeFileSync(path.join(folder, "policy.ts"), policy);
  if (readme !== undefined) fs.writeFileSync(path.join(folder, "README.md"), readme);
  return source;
}

async function lint(written: Written): Promise<string[]> {
  const { findings, ok } = await doctorSource(testHost(), makeSource(written));
  expect(ok).toBe(true);
  return findings.map(({ code, message }) => `${code} ${message}`);
}

const policyWith = (fields: string) => `import { defineToolPolicy } from "darwinian-minds/hook-policy";
export default defineToolPolicy({ policyKind: "enforcement", ${fields} });
`;
const onTool = (matcher: string) => policyWith(`matcher: ${JSON.stringify(matcher)}, beforeToolCall: () => undefined`);
const answering = (body: string) => policyWith(`beforeToolCall(call: any): any { ${body} }`);

test.each<HookTemplate>(["hook", "gate", "self-protection"])("the template %s is ready as it is", async (template) => {
  expect(await lint({ template })).toEqual([]);
});

test.each<HookTemplate>(["hook", "gate"])(
  "the line of the template %s is a finding as soon as the policy is another one",
  async (template) => {
    const policy = onTool("Bash");
    expect(await lint({ template, policy })).toEqual([expect.stringMatching(/^DRWN_SUMMARY_UNWRITTEN .*`watch/u)]);
    expect(await lint({ template, policy, readme: README })).toEqual([]);
  },
);

test.each<[matcher: string, said: RegExp | null]>([
  ["bassh", /^DRWN_MATCHER_UNKNOWN `bassh` matches no known tool of any agent, so this guard never runs/u],
  ["bash", /^DRWN_MATCHER_UNKNOWN `bash` means `Bash` only in .*OpenCode.*: calls of other agents/u],
  ["{Bash,bash}", null],
  ["{Bash,Writ}", /^DRWN_MATCHER_UNKNOWN `Writ` in .* isn't a known tool of any agent/u],
  ["Bash", null],
  ["{run_shell_command,Bash}", null],
  ["mcp__github__*", null],
  ["*", null],
])("a matcher %s for tools that no agent has is a finding", async (matcher, said) => {
  expect(await lint({ policy: onTool(matcher), readme: README })).toEqual(
    said === null ? [] : [expect.stringMatching(said)],
  );
});

test.each<[body: string, said: RegExp | null]>([
  [
    `return { action: "block", reason: "no" };`,
    /^DRWN_DECISION_UNKNOWN .*"block".*watch can answer allow, deny, ask, log-only/u,
  ],
  [`return call.x ? { action: "deny", reason: "no" } : { "action": 'Deny' };`, /"Deny"/u],
  [`return call.x || { action: "approve" };`, /"approve"/u],
  [`const f = () => ({ action: "reject" }); return f();`, /"reject"/u],
  [`return { action: "deny", reason: "no" };`, null],
  [`return undefined;`, null],
  [`const seen = { action: "opened" }; return call.x === seen ? undefined : undefined;`, null],
  [`return { action: call.x };`, null],
])("a decision that no policy can give is a finding: %s", async (body, said) => {
  expect(await lint({ policy: answering(body), readme: README })).toEqual(
    said === null ? [] : [expect.stringMatching(said)],
  );
});

test("a lifecycle hook answers with other words", async () => {
  const answer = (action: string) => `import { defineHook } from "darwinian-minds/hook-policy";
export default defineHook({ event: "prompt.submit", run: () => ({ action: ${JSON.stringify(action)}, reason: "no" }) as any });
`;
  expect(await lint({ policy: answer("deny"), readme: README })).toEqual([
    expect.stringMatching(/can answer proceed/u),
  ]);
  expect(await lint({ policy: answer("reject"), readme: README })).toEqual([]);
});

test("source doctor exits with 0 for what is packed as it is, and says that there are warnings", async () => {
  const source = makeSource({ policy: onTool("bassh"), readme: README });
  const { stdout, exitCode } = await runCommand(testHost(), SourceDoctor, source);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^warning .*matches no known tool/mu);
  expect(stdout).toMatch(/@me\/backend can be published, with 1 warning$/mu);
  fs.writeFileSync(path.join(source, "hooks/watch/policy.ts"), "export default 1;\n");
  expect((await runCommand(testHost(), SourceDoctor, source)).exitCode).toBe(3);
});
