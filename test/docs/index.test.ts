import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readPage } from "./markdown.ts";
import { repository } from "./world.ts";

const INDEX = "docs/README.md";
const TOP = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
/** Folders that the index names as one: each decision has a page. */
const WHOLE = { "docs/contributing/decisions/": "" };

test("every page is in the index once, and the index names nothing else", () => {
  const named = linksOf(INDEX).map((target) => path.posix.join("docs", target));
  expect(named.sort()).toEqual([...TOP, ...pages()].sort());
});

test("a page lies in the folder under whose heading the index has it", () => {
  const text = fs.readFileSync(path.join(repository, INDEX), "utf8");
  const misplaced = text.split(/^## /mu).flatMap((section) => {
    const heading = section.slice(0, section.indexOf("\n")).toLowerCase();
    return readPage(section).links.filter(
      ({ target }) => !target.startsWith("../") && !target.startsWith(`${heading}/`),
    );
  });
  expect(misplaced).toEqual([]);
});

test("the README leads to the index", () => {
  expect(linksOf("README.md")).toContain(INDEX);
});

function linksOf(page: string): string[] {
  return readPage(fs.readFileSync(path.join(repository, page), "utf8")).links.map(({ target }) => target);
}

function pages(): string[] {
  const all = fs
    .readdirSync(path.join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .map((name) => `docs/${name}`)
    .filter((name) => name.endsWith(".md") && name !== INDEX);
  const wholes = Object.entries(WHOLE).map(([folder, list]) => folder + list);
  return [...all.filter((name) => !Object.keys(WHOLE).some((folder) => name.startsWith(folder))), ...wholes];
}
