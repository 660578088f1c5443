import { assert, expect, test } from "vitest";
import { describeServersOf } from "../../../src/card/server.ts";
import { describeGiven, describeServerRun } from "../../../src/cli/render/hook.ts";

test("a server is shown with its headers and the variables of the user's that it would get", () => {
  const key = `\${AWS_SECRET_ACCESS_KEY}`;
  const headers = { "x-key": key, "x-far": `${"-".repeat(300)}\${env:FAR}`, "x-bad": "\u001b[2J$HOME" };
  const docs = { type: "http" as const, url: `https://mcp.example.test/\${TEAM:-none}`, headers };
  const [server] = describeServersOf({ docs });
  assert(server !== undefined);
  expect(describeServerRun(server)).toBe(`docs runs: https://mcp.example.test/\${TEAM:-none}`);
  expect(describeGiven(server)).toEqual([
    `header x-key: ${key}`,
    `header x-far: ${"-".repeat(199)}…`,
    "header x-bad: \\u{1b}[2J$HOME",
    "of your environment: AWS_SECRET_ACCESS_KEY, FAR, HOME, TEAM",
  ]);
});

test("a program is shown with its arguments and its environment", () => {
  const [server] = describeServersOf({ db: { command: "db", args: ["--fast"], env: { URL: "x" } } });
  assert(server !== undefined);
  expect([describeServerRun(server), ...describeGiven(server)]).toEqual(["db runs: db --fast", "env URL: x"]);
});
