import { afterEach, describe, expect, test } from "vitest";
import { hideSecrets, listenToTrace, trace, traceProcess } from "../../src/kernel/trace.ts";

let endTrace = (): void => {};
afterEach(() => endTrace());

function listen(env: Record<string, string> = {}): string[] {
  const lines: string[] = [];
  endTrace = listenToTrace((line) => lines.push(line), env);
  return lines;
}

describe("a traced step", () => {
  test("is told with its milliseconds, until nobody listens any more", () => {
    const lines = listen();
    trace("read", () => "a file");
    endTrace();
    trace("read", () => "another");
    expect(lines).toEqual([expect.stringMatching(/^ *\d+\.\d ms {2}read {4}a file$/u)]);
  });

  test("costs nothing while nobody listens: its text isn't even made", () => {
    trace("read", () => {
      throw new Error("made");
    });
  });

  test("cannot act on a terminal", () => {
    const lines = listen();
    trace("read", () => "a\u001b[2Jb\nc");
    expect(lines[0]).toMatch(/a\\u\{1b\}\[2Jb\\u\{a\}c$/u);
  });

  test("of a program says how it is started, and how it ended", () => {
    const lines = listen();
    traceProcess("git", ["fetch", "a b"])(128);
    expect(lines).toEqual([
      expect.stringMatching(/start {3}git fetch 'a b'$/u),
      expect.stringMatching(/ended {3}git: 128, after \d+\.\d ms$/u),
    ]);
  });

  test("has no value of a variable whose name says that it is secret", () => {
    const lines = listen({ DEPLOY_TOKEN: "correct-horse", AWS_SECRET_ACCESS_KEY: "battery/staple", HOME: "/home/me" });
    trace("start", () => "git fetch correct-horse battery/staple /home/me");
    expect(lines[0]).toMatch(/git fetch … … \/home\/me$/u);
  });
});

describe("no secret is in", () => {
  test.each([
    ["an address with a password", "GET https://me:hunter2secret@h.example/x", "GET https://…@h.example/x"],
    ["an address with a user alone", "git fetch https://hunter2secret@h.example/x", "git fetch https://…@h.example/x"],
    ["an address of git's", "ssh://git:hunter2secret@h.example/x", "ssh://…@h.example/x"],
    ["a query", "https://h.example/x?sig=hunter2secret&a=1", "https://h.example/x…"],
    ["a fragment", "https://h.example/x#hunter2secret", "https://h.example/x…"],
    ["a line of npm's settings", "//h.example/:_authToken=hunter2secret", "//h.example/:_authToken=…"],
    ["npm's older settings", "//h.example/:_password = hunter2secret", "//h.example/:_password = …"],
    ["a header", "authorization: Bearer hunter2secret", "authorization: …"],
    ["a header's value", "Bearer hunter2secret", "Bearer …"],
    ["JSON", '{"token":"hunter2secret","a":1}', '{"token":"…","a":1}'],
    ["an option", "--api-key=hunter2secret --x", "--api-key=… --x"],
    ["a token of npm", "npm_hunter2secret00", "…"],
    ["a token of a host", "ghp_hunter2secret00", "…"],
  ])("%s", (_, text, shown) => {
    expect(hideSecrets(text)).toBe(shown);
  });

  test.each([
    "/home/me/.agents/drwn/ledger/0a1b.json: 12 bytes",
    "GET https://h.example/@me%2fbackend: 200, after 3.0 ms",
    "@me/backend@^1.0.0 of npm:https://h.example/: 1.0.3, of 4",
    "git fetch --depth=1 origin refs/tags/v1.0.0",
  ])("%s, which stays as it is", (text) => {
    expect(hideSecrets(text)).toBe(text);
  });
});
