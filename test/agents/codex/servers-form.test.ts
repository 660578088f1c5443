import { expect, test } from "vitest";
import { describeUnreplaced, toCodexServer } from "../../../src/agents/codex/servers.ts";
import type { Server } from "../../../src/card/server.ts";

const URL = "https://mcp.example.test/";

/** Tried with `codex mcp list --json` of 0.169.0, which leaves every other text as it is. */
const FORMS: readonly [string, Server, object, string][] = [
  ["nothing but a command", { command: "x" }, { command: "x" }, ""],
  [
    "a variable that is passed on, and a value",
    { command: "x", args: ["a"], env: { TOKEN: `\${TOKEN}`, MODE: "fast" } },
    { command: "x", args: ["a"], env_vars: ["TOKEN"], env: { MODE: "fast" } },
    "",
  ],
  [
    "a variable under another name, in a default and in an argument",
    { command: "x", args: [`--root=\${HOME}`], env: { TOKEN: `\${OTHER}`, PORT: `\${PORT:-80}` } },
    { command: "x", args: [`--root=\${HOME}`], env: { TOKEN: `\${OTHER}`, PORT: `\${PORT:-80}` } },
    `\${HOME} of docs, \${OTHER} of docs, \${PORT:-80} of docs`,
  ],
  [
    "a bearer token, a header that is a variable, and one that is none",
    { type: "http", url: URL, headers: { authorization: `Bearer \${WEB}`, "x-key": `\${KEY}`, "x-team": "a" } },
    { url: URL, bearer_token_env_var: "WEB", http_headers: { "x-team": "a" }, env_http_headers: { "x-key": "KEY" } },
    "",
  ],
  [
    "a token of another kind, and an address with a variable",
    { type: "http", url: `${URL}\${TEAM}`, headers: { authorization: `Basic \${WEB}` } },
    { url: `${URL}\${TEAM}`, http_headers: { authorization: `Basic \${WEB}` } },
    `\${TEAM} of docs, \${WEB} of docs`,
  ],
];

test.each(FORMS)("Codex gets %s", (_, server, expected, unreplaced) => {
  expect(toCodexServer(server)).toEqual(expected);
  const said = describeUnreplaced([["docs", server]]);
  expect(said).toBe(unreplaced === "" ? "" : `; Codex replaces no variables there: ${unreplaced} stays text`);
});
