import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { removeCard } from "../../src/operations/remove.ts";
import { uninstall } from "../../src/operations/uninstall.ts";
import { writeProject } from "../../src/operations/write.ts";
import type { Runtime } from "../../src/policy/event.ts";
import type { TestHost } from "../support/host.ts";
import { problemOf } from "../support/problems.ts";
import { installed } from "../support/projects.ts";

const CARD = "@me/backend";
const DOCS = {
  command: "npx",
  args: ["-y", "docs-server", `--root=\${HOME}`],
  env: { TOKEN: `\${DOCS_TOKEN}`, PLAIN: "$x" },
};
const WEB = {
  type: "http",
  url: `https://mcp.example.test/\${TEAM}`,
  headers: { authorization: `Bearer \${WEB_TOKEN}` },
};
const AS_GIVEN = { docs: DOCS, web: WEB };

const withServers = (): Promise<TestHost> => installed({ name: CARD, manifest: { servers: AS_GIVEN } });

async function writeFor(host: TestHost, runtimes?: Runtime[]): Promise<void> {
  await writeProject(host, { wiring: undefined, ...(runtimes === undefined ? {} : { runtimes }) });
}

/** By agent: the file, and its servers as that agent has them. */
const PLACES: [Runtime, string, object][] = [
  ["claude-code", ".mcp.json", { mcpServers: AS_GIVEN }],
  ["copilot-cli", ".mcp.json", { mcpServers: AS_GIVEN }],
  ["cursor", ".cursor/mcp.json", { mcpServers: AS_GIVEN }],
  [
    "gemini-cli",
    ".gemini/settings.json",
    { mcpServers: { docs: DOCS, web: { httpUrl: WEB.url, headers: WEB.headers } } },
  ],
  [
    "opencode",
    "opencode.json",
    {
      mcp: {
        docs: {
          type: "local",
          command: ["npx", "-y", "docs-server", "--root={env:HOME}"],
          environment: { TOKEN: "{env:DOCS_TOKEN}", PLAIN: "$x" },
        },
        web: {
          type: "remote",
          url: "https://mcp.example.test/{env:TEAM}",
          headers: { authorization: "Bearer {env:WEB_TOKEN}" },
        },
      },
    },
  ],
];

describe.each(PLACES)("the MCP servers of a card for %s", (runtime, name, expected) => {
  test(`stand in ${name}, and nowhere once the card is gone`, async () => {
    const host = await withServers();
    const file = path.join(host.cwd, name);
    await writeFor(host, [runtime]);
    expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual(expected);
    await removeCard(host, CARD);
    await writeFor(host);
    expect(fs.existsSync(file)).toBe(false);
  });

  test.each([
    ["the end of the card", (host: TestHost) => removeCard(host, CARD).then(() => writeFor(host))],
    ["the uninstall", (host: TestHost) => uninstall(host, { shared: false, dryRun: false, purge: false })],
  ])("leave a file of others byte for byte as it was after %s", async (_, end) => {
    const host = await withServers();
    const file = path.join(host.cwd, name);
    const original = '{\n\t"$schema": "https://example.test/x.json",\n\t"mcp": { },\n\t"theirs" : [1,2]\r\n}';
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, original);
    await writeFor(host, [runtime]);
    expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual({ ...JSON.parse(original), ...expected });
    await end(host);
    expect(fs.readFileSync(file, "utf8")).toBe(original);
  });

  test("are refused where the file has comments, and a card without servers does not care", async () => {
    const file = '{ // mine\n "a": 1 }';
    const host = await withServers();
    fs.mkdirSync(path.dirname(path.join(host.cwd, name)), { recursive: true });
    fs.writeFileSync(path.join(host.cwd, name), file);
    expect((await problemOf(() => writeFor(host, [runtime]))).message).toContain("line 1, column 3");
    await removeCard(host, CARD);
    await writeFor(host, [runtime]);
    expect(fs.readFileSync(path.join(host.cwd, name), "utf8")).toBe(file);
  });
});

test("agents that read the same file share its servers, until the last of them is let go", async () => {
  const host = await withServers();
  const file = path.join(host.cwd, ".mcp.json");
  await writeFor(host, ["claude-code", "copilot-cli"]);
  const written = fs.readFileSync(file, "utf8");
  for (const runtimes of [["copilot-cli"], ["claude-code"]] as Runtime[][]) {
    await writeFor(host, runtimes);
    expect(fs.readFileSync(file, "utf8")).toBe(written);
  }
  await writeFor(host, ["gemini-cli"]);
  expect(fs.existsSync(file)).toBe(false);
});
