import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findFalseClaims } from "./claims.ts";
import { readPage } from "./markdown.ts";
import { runPage } from "./run-page.ts";
import { repository } from "./world.ts";

/** Made by `.scripts/generate.mjs` from what they are about. */
const GENERATED = /^docs\/reference\/(?:commands|errors)\.md$/u;

const TOP = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ".github/pull_request_template.md"];

/** Every page that somebody wrote, from the top of the repository. */
const written = fs
  .readdirSync(path.join(repository, "docs"), { recursive: true, encoding: "utf8" })
  .map((name) => `docs/${name}`)
  .filter((name) => name.endsWith(".md") && !GENERATED.test(name));

/** One group of tests for each page for which `isOurs` holds: long ones are a sweep. */
export function testPages(isOurs: (name: string) => boolean): void {
  describe.each([...TOP, ...written.sort()].filter(isOurs))("%s", testPage);
}

/** Guides, and the pages that tell one long story. */
export function isLong(name: string): boolean {
  return /^docs\/(?:guides\/|explanation\/minds\.md$|tutorial\/publish-)/u.test(name);
}

/** What everybody reads first is run by the real program, in processes of its own; other pages by its commands in the test's. */
function isReal(name: string): boolean {
  return TOP.includes(name) || name.startsWith("docs/tutorial/");
}

function testPage(name: string): void {
  const file = path.join(repository, name);
  const page = readPage(fs.readFileSync(file, "utf8"));

  test("links to, names and mentions only what there is", () => {
    expect(findFalseClaims(file, page)).toEqual([]);
  });

  test.runIf(page.blocks.length > 0)(
    "has blocks of code that do what they say, in their order",
    { timeout: 180_000 },
    () => runPage(page, isReal(name)),
  );
}
