import { describe, expect, test } from "vitest";
import { steps } from "../../src/helpers/index.ts";
import { commandsOf } from "../../src/helpers/shell/unwrap.ts";
import { bash } from "./calls.ts";

/** The commands of a text, each as its words. */
const read = (text: string) => commandsOf(text).map(({ path, arguments: given }) => [path, ...given].join(" "));

describe("the value of a variable", () => {
  test.each([
    ["A=b make; rm $A", ["make", "rm $A"]],
    ["A=b; make; rm $A", ["make", "rm b"]],
    ["(A=b; make); rm $A", ["make", "rm $A"]],
    ["echo $(A=b; make); rm $A", ["make", "echo $(A=b; make)", "rm $A"]],
    ["A=b | rm $A", ["rm $A"]],
    ["A=b & rm $A", ["rm $A"]],
    ["A=b; true | A=c; rm $A", ["true", "rm b"]],
    ["A=b; { A=c; } | cat; rm $A", ["cat", "rm b"]],
    ["A=b; { A=c; } & rm $A", ["rm b"]],
    ["A=b; true | { A=c; }; rm $A", ["true", "rm b"]],
    ["A=b; { A=c; }; rm $A", ["rm c"]],
    ["A=b; true && A=c && rm $A", ["true", "rm c"]],
    ["A=b; read A; rm $A", ["read A", "rm $A"]],
    ["A=b; unset A; rm $A", ["unset A", "rm $A"]],
    ["A=b; printf -v A c; rm $A", ["printf -v A c", "rm $A"]],
    ["A=b; eval A=c; rm $A", ["eval A=c", "rm $A"]],
    ["A=b; sh -c 'rm $A'", ["sh -c rm $A", "rm $A"]],
    ["export A=b; sh -c 'rm $A'", ["export A=b", "sh -c rm $A", "rm b"]],
    ["A=b sh -c 'rm $A'", ["sh -c rm $A", "rm b"]],
    ["A=b; eval 'rm $A'", ["eval rm $A", "rm b"]],
    ["f() { rm $A; }; A=b f", ["rm $A", "f", "rm b"]],
    ["A=b; f() { A=c; }; rm $A; f; rm $A", ["rm b", "f", "rm c"]],
    ["A=b; f() { local A=c; }; f; rm $A", ["local A=c", "f", "local A=c", "rm b"]],
  ])("%s", (text, words) => {
    expect(read(text)).toEqual(words);
  });
});

describe("braces", () => {
  test.each([
    ["{rm,-r,a}", ["rm -r a"]],
    ["a {b,c}{d,e}", ["a bd be cd ce"]],
    ["a '{b,c}' \"{d,e}\" \\{f,g} {h}", ["a {b,c} {d,e} {f,g} {h}"]],
    ["A={b,c}; a $A", ["a {b,c}"]],
    ["{ a b{,.bak}; }", ["a b b.bak"]],
  ])("%s", (text, words) => {
    expect(read(text)).toEqual(words);
  });
});

test.each([
  ["fish -c 'set x (rm a)'", "rm a"],
  ["pwsh -c 'foreach ($f in 1) { rm a }'", "rm a"],
  ['tmux send-keys "don\'t; rm a"', "rm a"],
  ["git -c alias.x='!rm a' x b", "rm a b"],
  ["git -c core.pager='rm a' log", "rm a"],
  ["GIT_SSH_COMMAND='rm a' git fetch", "rm a"],
  ["tar x --checkpoint-action=exec='rm a'", "rm a"],
  ["ssh -oProxyCommand='rm a' host", "rm a"],
  ["sed '1e rm a' b", "rm a"],
  ["env -S'A=1 rm' a", "rm a"],
  ["cmake -E rm a", "rm a"],
])("%s runs a command of another program's text", (text, command) => {
  expect(read(text)).toContain(command);
});

test.each(["fish -c 'set x (date'", 'tmux send-keys "don\'t"', "cmd /c 'if exist x (del x)'"])(
  "%s is read, whatever its own program makes of it",
  (text) => {
    expect(() => commandsOf(text)).not.toThrow();
  },
);

const shown = (shell: string, command: string) =>
  steps({ ...bash(command), shell }).map(({ path, arguments: given }) => [path, ...given].join(" "));

test.each([
  ["powershell", "foreach ($f in 1) { Remove-Item -Recurse $HOME }", "Remove-Item -Recurse $HOME"],
  ["python", 'import os\nos.system("rm a")', "rm a"],
  ["javascript", "require('child_process').execSync('rm a')", "rm a"],
  ["tmux", "don't; rm a", "rm a"],
])("a text that %s reads is read as that", (shell, text, command) => {
  expect(shown(shell, text)).toContain(command);
});
