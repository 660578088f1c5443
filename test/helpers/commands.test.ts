import { describe, expect, test } from "vitest";
import { commands, matchConstants } from "../../src/helpers/index.ts";
import { bash, event } from "./calls.ts";

describe("commands(event)", () => {
  test("lists programs, arguments, redirections and who starts them", () => {
    expect(commands(bash(`sudo -u me /bin/rm -rf "a b" 2> err && echo $x`))).toEqual([
      {
        program: "sudo",
        path: "sudo",
        arguments: ["-u", "me", "/bin/rm", "-rf", "a b"],
        redirections: [{ operator: ">", target: "err", descriptor: "2" }],
        startedBy: [],
      },
      {
        program: "rm",
        path: "/bin/rm",
        arguments: ["-rf", "a b"],
        redirections: [{ operator: ">", target: "err", descriptor: "2" }],
        startedBy: ["sudo"],
      },
      { program: "echo", path: "echo", arguments: ["$x"], redirections: [], startedBy: [] },
    ]);
  });

  test("gives the text of a here-document", () => {
    expect(commands(bash("cat <<-'A B' > out\n\tx $y\n\tA B\n"))).toMatchObject([
      {
        program: "cat",
        redirections: [
          { operator: "<<-", target: "A B", body: "x $y\n" },
          { operator: ">", target: "out" },
        ],
      },
    ]);
  });

  test.each([
    ["rtk git reset --hard", ["git reset --hard"]],
    ["flatpak-spawn --host rm -rf x", ["rm -rf x"]],
    ["wrapper -n 5 git push -f", ["git push -f"]],
    ["busybox rm -rf x", ["rm -rf x"]],
    ["mytool rm", []],
    ["grep git push.txt", []],
    ["make git all", []],
    ["mytool migrate reset", []],
  ])("of a wrapper that nobody knows, %s, has what the wrapper runs", (text, started) => {
    const inner = commands(bash(text)).filter(({ startedBy }) => startedBy.length > 0);
    expect(inner.map(({ program, arguments: given }) => [program, ...given].join(" "))).toEqual(started);
  });

  test("is empty for a call without a shell text", () => {
    expect([commands(event("Read", { file_path: "a" })), commands(event("Bash"))]).toEqual([[], []]);
  });

  test.each(["echo 'a", "ls )", "( ls", "a=(", "case x in a) ls", "echo $(", `${"$(".repeat(60)}ls${")".repeat(60)}`])(
    "throws for what cannot be read: %j",
    (text) => {
      expect(() => commands(bash(text))).toThrow();
    },
  );

  test.each([
    ["parentheses", "("],
    ["arithmetic", "(("],
    ["substitutions", "$("],
    ["arithmetic in words", "$(("],
    ["braces", "x${y:-"],
    ["quotes in substitutions", '"$('],
    ["here-documents", "cat <<A <<B\n"],
    ["patterns", "@("],
    ["branches", "case x in a) "],
    ["backquotes", "`"],
    ["backslashes", "\\"],
  ])("comes to an end on a hundred thousand %s", (_, text) => {
    const many = `git ; ${text.repeat(100_000)}`;
    expect([true, false]).toContain(matchConstants.git_push.matches(many));
  });

  test("reads a long text in time that grows with its length", () => {
    const text = 'cd a && git status | grep -v "x y" > out # it\'s\n'.repeat(4000);
    expect(commands(bash(text))).toHaveLength(12_000);
  });
});
