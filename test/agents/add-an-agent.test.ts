import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { AGENT_IDS } from "../../src/policy/event.ts";

const repository = path.resolve(import.meta.dirname, "../..");
const page = fs.readFileSync(path.join(repository, "docs/contributing/add-an-agent.md"), "utf8");
const [, table = ""] = page.split("| file | holds | without |");

const rows = [...table.matchAll(/^\| `(?<file>[^`]+)` \| (?<holds>[^|]+) \| (?<without>[^|]*)\|$/gmu)].map(
  ({ groups }) => ({
    file: groups?.["file"] ?? "",
    without: [...(groups?.["without"]?.split(":")[0] ?? "").matchAll(/`([^`]+)`/gu)].map(([, agent]) => agent),
  }),
);

test("the page lists where an agent is named", () => {
  expect(rows.length).toBeGreaterThan(8);
});

const places = rows.flatMap(({ file, without }) =>
  AGENT_IDS.map((agent) => ({ agent, file, isNamed: !without.includes(agent) })),
);

test.each(places.filter(({ isNamed }) => isNamed))("$file names $agent", ({ agent, file }) => {
  expect(isNamedIn(file, agent)).toBe(true);
});

test.each(places.filter(({ isNamed }) => !isNamed))(
  "$file has nothing about $agent, as the page says",
  ({ agent, file }) => {
    expect(isNamedIn(file, agent)).toBe(false);
  },
);

function isNamedIn(file: string, agent: string): boolean {
  const text = fs.readFileSync(path.join(repository, file), "utf8").replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gmu, "");
  const [first = "", ...others] = agent.split("-");
  const inCode = `${first}${others.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")}`;
  const names = [agent, inCode, inCode.replace("Cli", ""), ...(TITLES[agent] ?? [])];
  return names.some((name) => new RegExp(`(?<![\\w-])${name}(?:(?![\\w-])|(?=[A-Z]))`, "u").test(text));
}

/** As pages call them. */
const TITLES: Readonly<Record<string, string[]>> = {
  "claude-code": ["Claude Code"],
  "copilot-cli": ["Copilot CLI"],
  "gemini-cli": ["Gemini CLI"],
  arawn: ["Arawn"],
  astrid: ["Astrid"],
  codex: ["Codex"],
  cursor: ["Cursor"],
  kilo: ["Kilo"],
  mastra: ["Mastra"],
  opencode: ["OpenCode"],
  pi: ["Pi"],
  polytoken: ["Polytoken"],
  "qwen-code": ["Qwen Code", "qwenHome", "qwen"],
};
