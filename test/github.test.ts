import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { readPage } from "./docs/markdown.ts";

const root = path.resolve(import.meta.dirname, "..");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

interface Step {
  uses?: string;
  run?: string;
}

interface Workflow {
  on: Record<string, { tags?: string[] } | null>;
  permissions: Record<string, string>;
  jobs: Record<
    string,
    { steps: Step[]; permissions?: Record<string, string>; strategy?: { matrix: Record<string, unknown[]> } }
  >;
}

const WORKFLOWS = fs.readdirSync(path.join(root, ".github/workflows")).map((name) => `.github/workflows/${name}`);
const FORMS = fs.readdirSync(path.join(root, ".github/ISSUE_TEMPLATE")).map((name) => `.github/ISSUE_TEMPLATE/${name}`);

describe.each(WORKFLOWS)("%s", (file) => {
  test("is YAML in which every step does something that is there", () => {
    expect(faultsOf(readYaml(file) as Workflow)).toEqual([]);
  });

  test("may by itself do nothing but read, and names no host of a registry", () => {
    expect((readYaml(file) as Workflow).permissions).toEqual({ contents: "read" });
    expect(read(file)).not.toMatch(/registry\.|https?:\/\//u);
  });

  test("needs no secret that CONTRIBUTING.md does not name", () => {
    for (const [, secret] of read(file).matchAll(/\bsecrets\.(\w+)/gu)) {
      expect(read("CONTRIBUTING.md")).toContain(`\`${secret}\``);
    }
  });
});

test("the README's commands and the gate run on Linux and macOS, on every Node that is promised", () => {
  const { readme } = (readYaml(".github/workflows/ci.yml") as Workflow).jobs;
  expect(readme?.strategy?.matrix).toEqual({ os: ["ubuntu-latest", "macos-latest"], node: [20, 22, 24] });
  const commands = readme?.steps.map(({ run }) => run);
  const [block] = readPage(read("README.md")).blocks;
  expect(block).toMatchObject({ language: "sh", words: ["npm"] });
  for (const line of block?.text.trim().split("\n") ?? []) expect(commands).toContain(line);
  expect(commands).toContain("npm run check");
});

test("a release is what a tag names: it is checked, tried, and published with its provenance", () => {
  const { on, jobs } = readYaml(".github/workflows/release.yml") as Workflow;
  expect(on).toEqual({ push: { tags: ["v*"] } });
  expect(jobs["publish"]?.permissions).toEqual({ contents: "read", "id-token": "write" });
  const commands = jobs["publish"]?.steps.flatMap(({ run }) => run ?? []);
  expect(commands).toEqual(expect.arrayContaining(["npm run check", ".ci/installed"]));
  expect(commands?.at(-1)).toBe("npm publish --provenance --access public");
});

test.each(FORMS)("%s is YAML, and a form has what a person fills in", (file) => {
  const form = readYaml(file) as { name?: string; description?: string; body?: { attributes: { label?: string } }[] };
  if (file.endsWith("/config.yml")) return;
  expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
  expect(form.body?.map(({ attributes }) => attributes.label)).not.toContain(undefined);
});

test.each([
  ["v0.0.0", /the tag is v0\.0\.0, and package\.json has version/u],
  ["", /the tag is not named/u],
])("the tag %s is no release of this checkout", (tag, fault) => {
  const { status, stderr } = spawnSync(process.execPath, [path.join(root, ".scripts/check-release.mjs"), tag], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(fault) });
});

function faultsOf({ jobs }: Workflow): string[] {
  return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(faultsOfStep));
}

function faultsOfStep({ uses, run }: Step): string[] {
  if (uses !== undefined) return /@v\d/u.test(uses) ? [] : [`${uses} names no version`];
  if (run === undefined) return ["a step does nothing"];
  if (spawnSync("bash", ["-n", "-c", run]).status !== 0) return [`no shell reads ${run}`];
  const named = [...run.matchAll(/\bnpm (?:run )?(test\b|(?<=run )[\w:-]+)/gu)].map(([, name = ""]) => name);
  const files = [...run.matchAll(/(?<![\w/])\.(?:ci|scripts)\/[\w./-]+/gu)].map(([file]) => file);
  return [
    ...named.filter((name) => !(name in scripts)).map((name) => `package.json has no script \`${name}\``),
    ...files.filter((file) => !fs.existsSync(path.join(root, file))).map((file) => `there is no ${file}`),
  ];
}

function readYaml(file: string): unknown {
  const document = parseDocument(read(file), { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

function read(file: string): string {
  return fs.readFileSync(path.join(root, file), "utf8");
}
