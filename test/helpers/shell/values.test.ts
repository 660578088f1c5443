import { describe, expect, test } from "vitest";
import { steps } from "../../../src/helpers/index.ts";
import { commandsOf } from "../../../src/helpers/shell/unwrap.ts";
import { bash } from "../calls.ts";

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
    ["A=b; true | A=c; rm $A", ["true", "rm b", "rm c"]],
    ["A=b; { A=c; } | cat; rm $A", ["cat", "rm b"]],
    ["A=b; { A=c; } & rm $A", ["rm b"]],
    ["A=b; true | { A=c; }; rm $A", ["true", "rm b", "rm c"]],
    ["A=b; { A=c; }; rm $A", ["rm c"]],
    ["A=b; true && A=c && rm $A", ["true", "rm c"]],
    ["A=b; read A; rm $A", ["read A", "rm $A"]],
    ["A=b; unset A; rm $A", ["unset A", "rm"]],
    ["A=b; printf -v A c; rm $A", ["printf -v A c", "rm c"]],
    ["A=b/c; rm ${A%/*} ${A#*/} ${A##*/}", ["rm b c c"]],
    ["A=; rm ${A:-b} ${A-b} ${C:+b}", ["rm b b", "rm b"]],
    ['B=c; rm "${A:-$B}"', ["rm ${A:-}", "rm c"]],
    [': "${A:=b}"; rm "$A"', [": ${A:-}", ": b", "rm $A", "rm b"]],
    ["B=c; declare -n A=B; rm $A", ["declare -n A=B", "rm c"]],
    ["A=$(cat b); rm $A", ["cat b", "rm $(cat b)"]],
    ["A=b; TMPDIR=c; read TMPDIR; rm $TMPDIR", ["read TMPDIR", "rm $(read TMPDIR)"]],
    ["A=b; eval A=c; rm $A", ["eval A=c", "rm c"]],
    ["A=b; sh -c 'rm $A'", ["sh -c rm $A", "rm $A"]],
    ["export A=b; sh -c 'rm $A'", ["export A=b", "sh -c rm $A", "rm b"]],
    ["A=b sh -c 'rm $A'", ["sh -c rm $A", "rm b"]],
    ["A=b; eval 'rm $A'", ["eval rm $A", "rm b"]],
    ["f() { rm $A; }; A=b f", ["f", "rm b"]],
    ["A=b; f() { A=c; }; rm $A; f; rm $A", ["rm b", "f", "rm c"]],
    ["A=b; f() { local A=c; }; f; rm $A", ["f", "local A=c", "rm b"]],
    ["HOME=/tmp/x make; rm $HOME", ["make", "rm $HOME"]],
    ["A=c; (A=d; rm $A); rm $A", ["rm d", "rm c"]],
    ["T=rm; f() { local T=echo; }; f; $T a", ["f", "local T=echo", "rm a"]],
    ["T=rm; f() { T=echo; }; $T a", ["rm a"]],
    ["f() { rm $1; }; f a; f b", ["f a", "rm a", "f b", "rm b"]],
    ["A=x; f() { local A=y; g; }; g() { rm $A; }; f; g", ["f", "local A=y", "g", "rm y", "g", "rm x"]],
    ["export A=b; A=c; bash -c 'rm $A'", ["export A=b", "bash -c rm $A", "rm c"]],
    ["bash -c 'rm $1' x y", ["bash -c rm $1 x y", "rm y"]],
    ['HOME=/tmp/x; bash -c "HOME=/y; rm $HOME"', ["bash -c HOME=/y; rm /tmp/x", "rm /tmp/x"]],
    ['A=\'a b\' B=; rm $A "$A" $B "$B"', ["rm a b a b "]],
    ["A=a:b; IFS=:; rm $A", ["rm a b"]],
    ["read A B <<< 'x y z'; rm $A; rm \"$B\"", ["read A B", "rm x", "rm y z"]],
    ["mapfile -t A <<< $'x\ny'; rm ${A[1]}", ["mapfile -t A", "rm y"]],
    ["A=rm; ${A/r/m} a; ${A^^} a; ${A:1} a", ["mm a", "RM a", "m a"]],
    ["$(printf '\\u0072m') a", ["printf \\u0072m", "rm a"]],
    ["A=(r m); rm ${A[0]} ${#A[@]} ${A[@]:1}", ["rm r 2 m"]],
    ["A='-rf a'; rm ${B:+$A}", ["rm -rf a", "rm"]],
    ["unset B; rm ${B:-'x y' z}", ["unset B", "rm x y z"]],
    ["for A in x y; do B=$B$A; done; rm $B", ["rm $Bxy"]],
    ["trap 'rm $A' EXIT; A=b", ["trap rm $A EXIT", "rm $A", "rm b"]],
    ["hash -p /bin/rm x; x a", ["hash -p /bin/rm x", "x a", "/bin/rm a"]],
    ["A='x[$(rm a)]'; : $((A))", ["rm a", ": $((A))"]],
    ["A='$(rm a)'; : ${A@P}", ["rm a", ": $(echo ${A@P})"]],
    ["A=$(cat <<'E'\nx y\nE\n); rm \"$A\"", ["cat", "rm x y"]],
    ["A=/a; true && A=/b && rm $A; rm $A", ["true", "rm /b", "rm /a", "rm /b"]],
  ])("%s", (text, words) => {
    expect(read(text)).toEqual(words);
  });
});

describe("a variable that may hold several texts", () => {
  const removed = (text: string) =>
    steps(bash(text)).flatMap(({ program, arguments: given }) => (program === "rm" ? [given.join(" ")] : []));
  test.each([
    ["A=b; true && A=c; rm $A", ["b", "c"]],
    ["A=b; false || A=c; rm $A", ["b", "c"]],
    ["A=b; if x; then A=c; fi; rm $A", ["c", "b"]],
    ["if x; then A=b; else A=c; fi; rm $A", ["b", "c"]],
    ["A=b; while x; do A=c; done; rm $A", ["b", "c"]],
    ["case x in a) A=b ;; *) A=c ;; esac; rm $A", ["b", "c"]],
    ["A=b; true && A=c; A=d; rm $A", ["d"]],
    ["A=b; true && A=c && rm $A", ["c"]],
    ["A=b; true && A=c; unset A; rm $A", [""]],
    ["A=b; { A=c; }; rm $A", ["c"]],
  ])("%s", (text, words) => {
    expect(removed(text)).toEqual(words);
  });

  test("of more texts than are kept is unknown, and never only the first ones", () => {
    const texts = Array.from({ length: 70 }, (_, at) => `x && A=t${at};`).join(" ");
    expect(removed(`A=s; ${texts} x && A=~; rm $A`)).toContain("$(read A)");
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
  ["pwsh -c 'Remove-Item -Recurse C:\\x\\y'", "rm -r C:/x/y"],
  ['cmd /c "rd /s /q C:\\x"', "rm -rf C:/x"],
  ["pwsh -c 'foreach ($f in 1) { rm a }'", "rm a"],
  ['tmux send-keys "don\'t; rm a"', "rm a"],
  ["git -c alias.x='!rm a' x b", "rm a b"],
  ["git -c core.pager='rm a' log", "rm a"],
  ["GIT_SSH_COMMAND='rm a' git fetch", "rm a"],
  ["tar x --checkpoint-action=exec='rm a'", "rm a"],
  ["ssh -oProxyCommand='rm a' host", "rm a"],
  ["scp -S 'rm a' b host:", "rm a"],
  ["git push --receive-pack='rm a' ./b", "rm a"],
  ["git push --exec 'rm a' ./b", "rm a"],
  ["git ls-remote --upload-pack 'rm a' .", "rm a"],
  ["git clone -u 'rm a' . b", "rm a"],
  ["git difftool -y -x 'rm a'", "rm a"],
  ["git grep --open-files-in-pager='rm a' b", "rm a"],
  ["rg --pre 'rm a' b", "rm a"],
  ["zip -T -TT 'rm a' b.zip c", "rm a"],
  ["rsync --rsync-path='rm a' b host:", "rm a"],
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

test("a zsh pattern that changes the names it finds is refused, unless it only compares texts", () => {
  for (const text of ["rm a(:h)", "rm a(N:s/a/b/)", "rm *(P:b:)", "rm *(e:'REPLY=b':)"])
    expect(() => commandsOf(text)).toThrow("it changes the names that a pattern finds");
  for (const text of ["[[ $x =~ ://(.*)(:h) ]]", "case $x in *(a:b)) ls;; esac", "ls *(N:t)"])
    expect(() => commandsOf(text)).not.toThrow();
});

test("code in patterns in code takes no time", () => {
  const nested = `${"ls *(e{".repeat(22)}ls a${"}) ".repeat(22)}`;
  expect(() => commandsOf(nested)).toThrow();
});

const shown = (shell: string, command: string) =>
  steps({ ...bash(command), shell }).map(({ path, arguments: given }) => [path, ...given].join(" "));

test.each([
  ["=rm -r a", "rm"],
  ["repeat 2 rm a", "rm"],
  ["for x (a b) rm $x", "rm"],
  ["a=(rm -r b); $a", "rm"],
  ["rm ${:-a}", "rm"],
  ["ls *(/); rm a", "rm"],
  ["ls ^(b|c)(N) (d|e)/*(.om[1,5]); rm a", "rm"],
  ["ls *(e:'rm a':)", "rm"],
  ["ls *(u:joe:,.e/'ls | rm a'/N) ?(e:'ls a':)", "rm"],
  ["ls ?(e:rm\\ a:)", "rm"],
  ["setopt extendedglob; ls *(#qe|'rm a'|)", "rm"],
  ["ls *(+rm)", "rm"],
  ["if [[ a ]] { rm a }", "rm"],
  ["() { rm $1 } a", "rm"],
])("what zsh runs is read: %s", (text, program) => {
  expect(commandsOf(text).map((command) => command.program)).toContain(program);
});

test.each([
  ["powershell", "foreach ($f in 1) { Remove-Item -Recurse $HOME }", "rm -r $HOME"],
  ["python", 'import os\nos.system("rm a")', "rm a"],
  ["javascript", "require('child_process').execSync('rm a')", "rm a"],
  ["tmux", "don't; rm a", "rm a"],
])("a text that %s reads is read as that", (shell, text, command) => {
  expect(shown(shell, text)).toContain(command);
});
