import fs from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { expect, test } from "vitest";
import { LIBRARY_HOMES } from "./architecture/layers.ts";

const root = path.resolve(import.meta.dirname, "..");
const { dependencies, devDependencies } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

test("what is built needs no package but those that are installed with it", async () => {
  expect(await packagesNeeded()).toEqual(["esbuild"]);
  expect(Object.keys(dependencies)).toContain("esbuild");
});

test("what is built into drwn is not installed a second time", () => {
  const bundled = Object.keys(LIBRARY_HOMES).filter((name) => name !== "esbuild");
  expect(bundled.filter((name) => name in dependencies)).toEqual([]);
  expect(bundled.filter((name) => !(name in devDependencies))).toEqual([]);
});

test("the words of every licence of what is built into drwn come with it", () => {
  const text = fs.readFileSync(path.join(root, "dist/THIRD-PARTY-LICENSES"), "utf8");
  for (const name of Object.keys(LIBRARY_HOMES).filter((one) => one !== "esbuild")) {
    expect(text).toMatch(new RegExp(`^${name}@\\d\\S+ \\([\\w.-]+\\)$`, "mu"));
  }
  // Of a library of a library.
  expect(text).toMatch(/^minipass@/mu);
  const sections = text.split(/^-{80}$/mu).slice(1);
  expect(sections.filter((section) => !/copyright|permission|licen[cs]e/iu.test(section))).toEqual([]);
  expect(sections.filter((section) => section.length < 200)).toEqual([]);
});

/** What the files of dist/ import, or require by a plain name, that is neither in them nor Node's nor ours. */
async function packagesNeeded(): Promise<string[]> {
  const files = fs
    .readdirSync(path.join(root, "dist"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?js$/u.test(name))
    .map((name) => path.join(root, "dist", name));
  const names: string[] = [];
  const note: Plugin = {
    name: "note",
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ kind, path: name }) => {
        if (kind !== "entry-point") names.push(name);
        return kind === "entry-point" ? undefined : { path: name, external: true };
      });
      // Each file for itself.
      onResolve({ filter: /^\./ }, ({ path: name }) => ({ path: name, external: true }));
    },
  };
  const options = { bundle: true, platform: "node", format: "esm", write: false, logLevel: "silent" } as const;
  await build({ ...options, entryPoints: files, outdir: path.join(root, "dist"), plugins: [note] });
  return [...new Set(names)].filter((name) => !isNodes(name) && !name.startsWith("darwinian-minds/")).sort();
}

function isNodes(name: string): boolean {
  return name.startsWith("node:") || builtinModules.includes(name);
}
