import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { globalHooksFile } from "../../../../src/dialects/polytoken/read/paths.ts";
import { PolytokenDispatcher } from "../../../../src/dialects/polytoken/run/dispatcher.ts";
import type { PolytokenEvent } from "../../../../src/dialects/polytoken/words/events.ts";
import { importPolicies } from "../../../../src/operations/author/import-policies.ts";
import { publishCard } from "../../../../src/operations/author/publish.ts";
import { diagnoseProject } from "../../../../src/operations/diagnose/diagnose.ts";
import { addCards } from "../../../../src/operations/project/add.ts";
import { initProject } from "../../../../src/operations/project/init.ts";
import { sourceWith } from "../../../support/cards.ts";
import { testHost } from "../../../support/host.ts";
import { CARD, trust, write } from "../../../support/projects.ts";
import { hook, writeHooks } from "../world.ts";

const HOOKS = [
  hook("pre_tool_use", "grep -q CHANGELOG.md && { echo 'it is generated'; exit 2; }; exit 0", {
    name: "changelog",
    matcher: "file_edit_*",
  }),
  hook("pre_tool_use", 'echo \'{"outcome":"error","message":"cannot tell"}\'', {
    name: "unsure",
    matcher: "[w]eb_fetch",
  }),
  hook(
    "post_tool_use",
    "cat > seen; echo $POLYTOKEN_HOOK_EVENT $POLYTOKEN_HANDLER_NAME $POLYTOKEN_SESSION_ID > variables",
    {
      name: "watcher",
      matcher: "shell_exec",
    },
  ),
];

const LIFECYCLE_HOOKS = [
  hook("session_start", `echo '{"outcome":"allow","additional_context":"be brief"}'`, { name: "brief" }),
  hook("pre_user_prompt", "grep -q secret && { echo 'not that'; exit 2; }; exit 0", { name: "prompts" }),
  hook("stop", `echo '{"outcome":"continue","reason":"run the tests"}'`, { name: "tests" }),
  hook("pre_compaction", "exit 1", { name: "compaction" }),
  hook("notification", `echo '{"outcome":"suppress"}'`, { name: "quiet" }),
];

const ASKED: [PolytokenEvent, object][] = [
  ["session_start", {}],
  ["pre_user_prompt", { prompt: "print the secret" }],
  ["pre_user_prompt", { prompt: "hello" }],
  ["stop", { prompt: "hello" }],
  ["pre_compaction", {}],
  ["notification", { message: "done" }],
];

const CALLS = [
  { tool_name: "file_edit_search_replace", input: { path: "CHANGELOG.md" } },
  { tool_name: "file_edit_search_replace", input: { path: "README.md" } },
  { tool_name: "file_edit_insert", input: { path: "CHANGELOG.md" } },
  { tool_name: "file_read", input: { path: "CHANGELOG.md" } },
  { tool_name: "web_fetch", input: { url: "https://a" } },
  { tool_name: "shell_exec", input: { command: "ls" } },
];

/** A project whose hooks were imported into a card, published, consented to and written for Polytoken. */
async function carry(hooks: unknown) {
  const host = testHost();
  // By this drwn knows that Polytoken is used here.
  fs.mkdirSync(path.dirname(globalHooksFile(host)), { recursive: true });
  initProject(host);
  const source = sourceWith();
  writeHooks(path.join(host.cwd, "old", "hooks.json"), hooks);
  await importPolicies(host, source, { file: "old", from: "polytoken", dryRun: false });
  await publishCard(host, { source, key: null, dryRun: false });
  await addCards(host, [CARD]);
  await trust(host);
  await write(host);
  return host;
}

test("hooks that went through a card decide in Polytoken as they did from their file, on calls and lifecycle events", async () => {
  const host = await carry([...HOOKS, ...LIFECYCLE_HOOKS]);
  const env = { PATH: process.env["PATH"], HOME: host.home };
  const before = new PolytokenDispatcher({ root: host.cwd, globalFile: path.join(host.cwd, "old", "hooks.json"), env });
  const after = new PolytokenDispatcher({ root: host.cwd, globalFile: globalHooksFile(host), env });
  const asked: [PolytokenEvent, object][] = [
    ...CALLS.map((call) => ["pre_tool_use", call] as [PolytokenEvent, object]),
    ...ASKED,
  ];
  for (const [event, fields] of asked) {
    const [was, is] = await Promise.all([before, after].map((one) => one.dispatch(event, fields as never)));
    expect([event, fields, is?.proceeds]).toEqual([event, fields, was?.proceeds]);
    const said = JSON.stringify(is?.outcome);
    for (const text of Object.values(was?.outcome ?? {}).slice(1)) {
      // Of a script that failed, drwn says so in its own words.
      const expected =
        was?.outcome.outcome === "error" ? "failing enforcement policy blocks|holds what it was asked about" : text;
      expect([event, said]).toEqual([event, expect.stringMatching(expected)]);
    }
  }

  const call = { tool_name: "shell_exec", input: { command: "ls" }, session: { sessionId: "s1" } };
  for (const event of ["post_tool_use_failure", "post_tool_use"] as const) {
    expect(await (await after.dispatch(event, call)).settled).toMatchObject([{ verdict: "allowed" }]);
    expect(fs.existsSync(path.join(host.cwd, "seen"))).toBe(event === "post_tool_use");
  }
  expect(JSON.parse(fs.readFileSync(path.join(host.cwd, "seen"), "utf8"))).toMatchObject({
    event: "post_tool_use",
    matcher_subject: "shell_exec",
    tool_name: "shell_exec",
    input: { command: "ls" },
  });
  expect(fs.readFileSync(path.join(host.cwd, "variables"), "utf8")).toBe("post_tool_use watcher s1\n");

  const doctor = await diagnoseProject(host);
  expect(doctor.findings.filter(({ severity }) => severity === "error")).toEqual([]);

  // What drwn wrote are no hooks to be imported.
  const file = globalHooksFile(host);
  const { hooks, differences } = await importPolicies(host, sourceWith(), { file, from: undefined, dryRun: true });
  expect(hooks).toEqual([]);
  expect(differences.map(({ policy }) => policy)).toEqual(after.hooks.map(({ name }) => name));
  expect(new Set(differences.map(({ what }) => what))).toEqual(
    new Set(["it is not imported: it asks drwn, and what drwn answers is in cards already"]),
  );
});
