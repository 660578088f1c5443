import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { listFolder } from "../../src/kernel/files.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { openDefaultRegistry } from "../../src/project/fetch/fetch-card.ts";
import { openProject } from "../../src/project/open/open-project.ts";
import { writeTree } from "../support/cards.ts";
import { everything } from "../support/faults/observe.ts";
import { machineOf } from "../support/machine-state.ts";
import { runAllAtOnce } from "../support/parallel.ts";
import { installed, newProject, publish, write } from "../support/projects.ts";

const HOOKS = { guard: { matcher: "Bash" } };
const names = (stem: string, count: number) => Array.from({ length: count }, (_, at) => `@me/${stem}-${at}`);

test("of sixteen processes that add, trust and write in one project, no change is lost", async () => {
  const trusted = names("trusted", 5);
  const added = names("added", 6);
  const host = await installed(...trusted.map((name) => ({ name, hooks: HOOKS })));
  for (const name of added) await publish(host, { name, hooks: HOOKS });
  const lines = [
    ...added.map((name) => ["add", name]),
    ...trusted.map((name) => ["card", "trust", name, "--hooks", "--yes"]),
    ...Array.from({ length: 5 }, () => ["write"]),
  ];
  const ends = await runAllAtOnce(host, lines);
  expect(ends.filter(({ end }) => end !== 0)).toEqual([]);

  const { config, lock, ledger } = openProject(host);
  expect(Object.keys(config.cards).sort()).toEqual([...added, ...trusted].sort());
  expect(lock.cards.map(({ name }) => name).sort()).toEqual([...added, ...trusted].sort());
  expect(ledger?.grants.map(({ card }) => card).sort()).toEqual(trusted);

  await write(host);
  expect((await write(host)).changes).toEqual([]);
  const { findings } = await diagnoseProject(host);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(Object.keys(everything(host)).filter((file) => /\.drwn-tmp-|\.lock\/|intent/u.test(file))).toEqual([]);
});

test("of sixteen processes that publish one version, exactly one wins, and what it published is whole", async () => {
  const host = newProject();
  const sources = Array.from({ length: 16 }, (_, at) => {
    const manifest = { name: "@me/raced", version: "1.0.0", skills: { include: ["told"] } };
    const files = { "card.json": JSON.stringify(manifest), "skills/told/SKILL.md": `# By ${at}\n` };
    return writeTree(path.join(machineOf(host), `source-${at}`), files);
  });
  const ends = await runAllAtOnce(
    host,
    sources.map((source) => ["card", "publish", source, "--json"]),
  );
  expect(ends.filter(({ end }) => end === 0)).toHaveLength(1);
  const refused = ends.filter(({ end }) => end !== 0);
  expect(refused.map(({ end, stdout }) => [end, JSON.parse(stdout).error.code])).toEqual(
    Array.from({ length: 15 }, () => [1, "DRWN_VERSION_EXISTS"]),
  );

  const won = JSON.parse(ends.find(({ end }) => end === 0)?.stdout ?? "");
  const [version, ...others] = await openDefaultRegistry(host).versions("@me/raced");
  expect([version?.tree, version?.integrity, others]).toEqual([won.tree, won.integrity, []]);
  await openDefaultRegistry(host).fetch("@me/raced", "1.0.0");
  expect(listFolder(path.join(layout.registry(host.drwnHome), "blobs"))).toHaveLength(1);
});
