import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import SourceDoctor from "../../../src/cli/commands/card/source/doctor.ts";
import { doctorSource } from "../../../src/operations/author/inspect-source.ts";
import { sourceWith, temporaryFolder, writeTree } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { type TestHost, testHost } from "../../support/host.ts";

const TSC = path.resolve(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");

const WRONG = `import { defineToolPolicy } from "darwinian-minds/hook-policy";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  beforeToolCall: ({ input }) => (input.command === "x" ? { action: "deny", reason: 1 } : undefined),
});
`;

/** A machine whose PATH has these folders before what Node itself needs. */
function machine(...folders: string[]): TestHost {
  return testHost({ env: { PATH: [...folders, path.dirname(process.execPath), "/usr/bin", "/bin"].join(":") } });
}

function folderWith(tsc: string, folder = temporaryFolder()): string {
  fs.mkdirSync(folder, { recursive: true });
  fs.symlinkSync(tsc, path.join(folder, "tsc"));
  return folder;
}

/** A compiler that leaves a trace, and finds nothing. */
function tracing(folder: string): { tsc: string; ran: () => boolean } {
  const trace = path.join(temporaryFolder(), "trace");
  writeTree(folder, { tsc: `#!/bin/sh\ntouch '${trace}'\n` });
  fs.chmodSync(path.join(folder, "tsc"), 0o755);
  return { tsc: path.join(folder, "tsc"), ran: () => fs.existsSync(trace) };
}

test("what TypeScript says of a hook is a warning at its place, and the settings of the source count for nothing", async () => {
  const elsewhere = path.join(temporaryFolder(), "written");
  const settings = JSON.stringify({ compilerOptions: { noEmit: false, outDir: elsewhere, noCheck: true } });
  const source = sourceWith({ hooks: { guard: WRONG }, files: { "tsconfig.json": settings } });
  const report = await doctorSource(machine(folderWith(TSC)), source);
  expect({ ok: report.ok, typesChecked: report.typesChecked }).toEqual({ ok: true, typesChecked: true });
  const of = (message: string) => ({
    code: "DRWN_TYPES_INVALID",
    severity: "warning",
    path: `${source}/hooks/guard/policy.ts:6`,
    message: expect.stringMatching(message),
  });
  expect(report.findings).toHaveLength(2);
  const found = [of("^TS18046: 'input' is of type 'unknown'"), of("^TS2322: ")];
  expect(report.findings).toEqual(expect.arrayContaining(found.map((one) => expect.objectContaining(one))));
  expect(fs.existsSync(elsewhere)).toBe(false);
});

test("without a compiler on the PATH nothing is said of types", async () => {
  const report = await doctorSource(machine(), sourceWith({ hooks: { guard: WRONG } }));
  expect(report).toMatchObject({ findings: [], typesChecked: false, typesHint: null });
});

test.each<[string, (source: string) => string]>([
  ["in its own folder", (source) => path.join(source, "node_modules/.bin")],
  ["in the repository around it", (source) => path.join(source, "../node_modules/.bin")],
])("a compiler that comes with a source, %s, is run only where a person names it", async (_, placeIn) => {
  const repository = temporaryFolder();
  fs.mkdirSync(path.join(repository, ".git"));
  const source = path.join(repository, "card");
  fs.cpSync(sourceWith({ hooks: { guard: WRONG } }), source, { recursive: true });
  const { tsc, ran } = tracing(placeIn(source));
  // As `npm run` has it, by a name for the folder, by a link from elsewhere, and from the current folder.
  const host = machine(path.dirname(tsc), folderWith(tsc), ".", "node_modules/.bin").at(source);
  await doctorSource(host, source);
  expect(ran()).toBe(false);
  const { exitCode } = await runCommand(host, SourceDoctor, source, "--tsc", tsc);
  expect([exitCode, ran()]).toEqual([0, true]);
});

test("a compiler that comes with a source is named", async () => {
  const source = sourceWith({ hooks: { guard: WRONG } });
  const { tsc } = tracing(path.join(source, "node_modules/.bin"));
  const { stderr } = await runCommand(machine(), SourceDoctor, source);
  expect(stderr).toContain(`runs only if you name it: --tsc ${tsc}`);
});

test("a compiler that is named and isn't there is a mistake, and one that fails is told of", async () => {
  const source = sourceWith({ hooks: { guard: WRONG } });
  const missing = await runCommand(machine(), SourceDoctor, source, "--tsc", "nowhere/tsc");
  expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining("DRWN_TYPES_UNCHECKED")]);
  const folder = writeTree(temporaryFolder(), { tsc: "#!/bin/sh\necho broken; exit 7\n" });
  fs.chmodSync(path.join(folder, "tsc"), 0o755);
  const { ok, typesChecked, typesHint } = await doctorSource(machine(folder), source);
  expect([ok, typesChecked, typesHint]).toEqual([true, false, expect.stringContaining("tsc failed: broken")]);
});
