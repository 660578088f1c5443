import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import Add from "../../src/cli/commands/add.ts";
import Init from "../../src/cli/commands/init.ts";
import { explainEvent } from "../../src/operations/diagnose/explain-event.ts";
import { runCommand } from "../support/cli.ts";
import { testHost } from "../support/host.ts";
import { repository } from "./world.ts";

const { drawDenial }: { drawDenial: () => string } = await import(
  new URL("../../.scripts/picture.mjs", import.meta.url).href
);

test("the README's picture is what this drwn prints", () => {
  const picture = fs.readFileSync(path.join(repository, "docs/denial.svg"), "utf8");
  expect(picture).toBe(drawDenial());
  expect(picture).toContain("deny by @me/backend@1.0.0#guard-rm: the first deny ends it");
  expect(picture).toContain("an enforcement policy that cannot do its work blocks the call");
});

test("the ways to see, test and install drwn are on the README's first screen", () => {
  const shown = fs.readFileSync(path.join(repository, "README.md"), "utf8").split("\n").slice(0, 40);
  expect(shown).toContain("npm ci && npm run demo");
  expect(shown).toContain("npm ci && npm test");
  expect(shown).toContain('npm ci && npm install -g "$(npm pack --silent)"');
});

/** The rows of the README's table: what the agent ran, and the card that stops it. */
function lossesOfPage(): [command: string, card: string][] {
  const page = fs.readFileSync(path.join(repository, "README.md"), "utf8");
  const rows = page.matchAll(/^\| [^|`]+ \| `([^`]+)` \| \[?(\w+)/gmu);
  return [...rows].map(([, command = "", card = ""]) => [command, card]);
}

test("each loss of the README's table is denied by the card that it names, of drwn's own", async () => {
  const losses = lossesOfPage();
  expect(losses).toHaveLength(12);
  const host = testHost();
  await runCommand(host, Init, "--yes");
  await runCommand(host, Add, "--trust", "--yes", "@drwn/data", "@drwn/cloud");
  for (const [command, card] of losses) {
    const input = JSON.stringify({ command });
    const { call } = await explainEvent(host, { runtime: "claude-code", phase: "pre-tool", tool: "Bash", input });
    const denying = call?.policies.find(({ decision }) => decision === "deny")?.policy ?? "";
    expect([command, denying.split("@1")[0]]).toEqual([command, `@drwn/${card}`]);
  }
});

/** To install, or to run at once, a package by its name. */
const BY_NAME =
  /\b(?:npx|npm (?:i|install|add|exec)|(?:pnpm|yarn|bun) (?:add|dlx))\b[^\n`'"]*\bdarwinian-minds\b(?!-\d)/u;

test("nobody is told to install a name that no registry has", () => {
  // Cases are calls for guards to judge.
  const files = filesIn("", "docs", "src", "templates", "bin").filter((file) => !file.endsWith("cases.jsonl"));
  const saying = files.flatMap((file) => {
    const lines = fs.readFileSync(path.join(repository, file), "utf8").split("\n");
    return lines.map((text) => `${file}: ${text}`).filter((line) => BY_NAME.test(line));
  });
  expect(saying).toEqual([
    expect.stringMatching(/^README\.md: .*after the first release `npm install -g darwinian-minds`/u),
  ]);
});

test.each([
  ["npm install darwinian-minds", true],
  ["npm install --global darwinian-minds, then: drwn write", true],
  ["npx darwinian-minds init", true],
  ["npm uninstall -g darwinian-minds", false],
  ["npm install /opt/lib/node_modules/darwinian-minds-0.1.0.tgz", false],
])("%s is found: %s", (text, isFound) => {
  expect(BY_NAME.test(text)).toBe(isFound);
});

/** By their paths in the repository: what lies in these folders, and of its top only what lies there itself. */
function filesIn(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    fs
      .readdirSync(path.join(repository, folder), { recursive: folder !== "", withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(repository, path.join(entry.parentPath, entry.name))),
  );
}
