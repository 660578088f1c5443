import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { UnreadableCommand } from "../../../src/helpers/shell/parse/scan.ts";
import { readShell } from "../../../src/helpers/shell/unwrap.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

const NAMES = ["A", "B", "C"];
const name = fc.constantFrom(...NAMES);
const plain = fc.constantFrom("a", "b", "xy", "x.y.z", "a/b/c", "-n", "k=v", "a:b", "p,q", "0", "7", "Hi", "+q");
const spaced = fc.constantFrom("a b", " c d ", "", "x  y", "e:f g", "1 2 3", "m\tn", "$A", "*", "q'q");

const quoted = fc
  .tuple(spaced, fc.constantFrom("'", '"'))
  .map(([text, quote]) => (quote === "'" ? `'${text.replaceAll("'", "")}'` : `"${text}"`));
const ansi = fc.constantFrom("$'\\x41'", "$'a\\tb'", "$'\\u00e9'", "$'it\\'s'", "$'l1\\nl2'", "$'\\101'");
const braces = fc.constantFrom(
  "{a,b}",
  "{1..3}",
  "x{,y}z",
  "{b..d}",
  "{03..05}",
  "{a,{b,c}}",
  "{x}",
  "{a,b",
  "{2..0..2}",
);
const pattern = fc.constantFrom(
  "*",
  "?",
  "a*",
  "*/",
  "/*",
  "*.*",
  "[ab]",
  "x",
  ".*",
  " *",
  "'*'",
  '"$B"',
  "*:",
  "[!a]",
);

const changed = fc.oneof(
  fc
    .tuple(
      name,
      fc.constantFrom(":-", "-", ":=", "=", ":+", "+"),
      fc.oneof(plain, fc.constantFrom("u v", '"s t"', "$B", "'*'")),
    )
    .map(([one, sign, other]) => `\${${one}${sign}${other}}`),
  fc.tuple(name, fc.constantFrom("%", "%%", "#", "##"), pattern).map(([one, sign, cut]) => `\${${one}${sign}${cut}}`),
  fc
    .tuple(
      name,
      fc.constantFrom("/", "//", "/#", "/%"),
      pattern.filter((cut) => !cut.includes("/")),
      fc.constantFrom("", "Z", "$C", "- -"),
    )
    .map(([one, sign, cut, by]) => `\${${one}${sign}${cut}/${by}}`),
  fc.tuple(name, fc.constantFrom("^", "^^", ",", ",,")).map(([one, sign]) => `\${${one}${sign}}`),
  fc.tuple(name, fc.constantFrom("0", "1", " -2", "1:2", "0:1", "9")).map(([one, range]) => `\${${one}:${range}}`),
  fc.tuple(name, fc.constantFrom("Q", "U", "L", "u", "E")).map(([one, sign]) => `\${${one}@${sign}}`),
  name.map((one) => `\${#${one}}`),
);
const lists = fc.constantFrom(
  ...[
    "${L[@]}",
    "${L[*]}",
    "${L[0]}",
    "${L[1]}",
    "${L[-1]}",
    "${#L[@]}",
    "${L[@]:1}",
    "${L[@]:0:2}",
    "${!L[@]}",
    "$L",
    "${L[@]%.*}",
  ],
  ...["$@", "$*", "$#", "$1", "$2", "${@:2}", "${1:-d}", "${*}", "${@}", "${L[@]/a/Z}", "${L[@]:-e f}"],
);
const parameter = fc.oneof(
  { weight: 3, arbitrary: name.map((one) => `$${one}`) },
  { weight: 1, arbitrary: name.map((one) => `\${${one}}`) },
  { weight: 4, arbitrary: changed },
  { weight: 3, arbitrary: lists },
);
const arithmetic = fc.constantFrom("$((1+2))", "$((2*3-1))", "$((7/2))", "$((-7%3))", "$((1+(2-3)))", "$(( 4 ))");

const { word } = fc.letrec<{ word: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { weight: 4, arbitrary: plain },
    { weight: 2, arbitrary: quoted },
    { weight: 1, arbitrary: ansi },
    { weight: 1, arbitrary: braces },
    { weight: 4, arbitrary: parameter },
    { weight: 4, arbitrary: parameter.map((one) => `"${one}"`) },
    { weight: 1, arbitrary: fc.tuple(plain, parameter, plain).map((parts) => `"${parts.join(" ")}"`) },
    { weight: 1, arbitrary: arithmetic },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom(
            "echo",
            "echo -n",
            "echo -e",
            "printf '%s'",
            "printf '%s,'",
            "printf '<%b>'",
            "printf 'a\\x2e'",
          ),
          tie("word"),
          fc.boolean(),
        )
        .map(([program, given, isQuoted]) => (isQuoted ? `"$(${program} ${given})"` : `$(${program} ${given})`)),
    },
  ),
  word: fc.array(tie("piece"), { minLength: 1, maxLength: 2 }).map((parts) => parts.join("")),
}));
const words = fc.array(word, { maxLength: 3 }).map((all) => all.join(" "));

const simple = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(name, word).map(([one, value]) => `${one}=${value}`) },
  {
    weight: 1,
    arbitrary: fc.tuple(name, name, word, word).map(([one, other, value, next]) => `${one}=${value} ${other}=${next}`),
  },
  { weight: 1, arbitrary: fc.tuple(name, word).map(([one, value]) => `${one}+=${value}`) },
  { weight: 2, arbitrary: words.map((all) => `L=(${all})`) },
  { weight: 1, arbitrary: words.map((all) => `L+=(${all})`) },
  { weight: 1, arbitrary: word.map((one) => `L[1]=${one}`) },
  { weight: 6, arbitrary: words.map((all) => `show ${all}`) },
  { weight: 2, arbitrary: fc.tuple(name, word, words).map(([one, value, all]) => `${one}=${value} show ${all}`) },
  { weight: 2, arbitrary: words.map((all) => `set -- ${all}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("shift", "unset A", "unset L", "set -- ", "declare -n R=B; R=z; show $R", "unset IFS"),
  },
  { weight: 1, arbitrary: fc.constantFrom(":", ",", " ", "").map((signs) => `IFS='${signs}'`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("A", "A B", "-r A B", "-ra L"), word)
      .map(([into, text]) => `read ${into} <<< ${text}`),
  },
  { weight: 1, arbitrary: word.map((text) => `IFS=, read -r A B <<< ${text}`) },
  { weight: 1, arbitrary: word.map((text) => `mapfile -t L <<< ${text}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("%s", "%s-%s", "a%%", "%5s|", "%-4s|", "%.1s", "%d", "%03d", "%q", "\\u0041%s"), words)
      .map(([format, all]) => `printf -v A '${format}' ${all}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("declare", "export", "readonly RO=1; export", "export"), name, word)
      .map(([verb, one, value]) => `${verb} ${one}=${value}`),
  },
  { weight: 1, arbitrary: word.map((one) => `: \${B:=${one}}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "eval 'A=$B'",
      'eval "show $A"',
      "eval 'show \"$A\" $L'",
      "let A=1+2",
      "((A++))",
      "A=$((B+1))",
      "echo q | read A",
    ),
  },
);

const { script } = fc.letrec<{ script: string; command: string }>((tie) => ({
  command: fc.oneof(
    { maxDepth: 3, depthIdentifier: "script" },
    { weight: 12, arbitrary: simple },
    { weight: 1, arbitrary: tie("script").map((body) => `( ${body} )`) },
    { weight: 1, arbitrary: tie("script").map((body) => `{ ${body}; }`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom("true", "false", "[[ $A == a* ]]", "[[ -n $B ]]", "[[ $C ]]"),
          tie("script"),
          tie("script"),
        )
        .map(([test, body, other]) => `if ${test}; then ${body}; else ${other}; fi`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom("true &&", "false &&", "true ||", "false ||", "true && false ||", "false || true &&"),
          simple,
        )
        .map((parts) => parts.join(" ")),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(name, words, tie("script"))
        .map(([one, all, body]) => `for ${one} in ${all}; do ${body}; done`),
    },
    { weight: 1, arbitrary: fc.tuple(tie("script")).map(([body]) => `for C; do ${body}; done`) },
    {
      weight: 1,
      arbitrary: fc.tuple(word, tie("script")).map(([text, body]) => `while read -r A; do ${body}; done <<< ${text}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(word, pattern, tie("script"), tie("script"))
        .map(([one, cut, body, other]) => `case ${one} in ${cut.replace('"$B"', "z")}) ${body} ;; *) ${other} ;; esac`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.boolean(), word, tie("script"), words)
        .map(([isLocal, value, body, given]) => `f() { ${isLocal ? "local A" : "A"}=${value}; ${body}; }; f ${given}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(name, word, fc.constantFrom("show $A", 'show "$B" $C', "A=k; show $A"))
        .map(([one, value, body]) => `g() { ${body}; }; ${one}=${value} g r s`),
    },
  ),
  script: fc.array(tie("command"), { minLength: 1, maxLength: 4 }).map((all) => all.join("; ")),
}));

/** Scripts of assignments, of what only a shell's own commands do, and of `show`, with a number each. */
export const scripts = fc
  .tuple(
    fc.constantFrom(
      "unset A B C L;",
      "A=a B='b c' C=x.y.z; L=(a 'b c' d); set -- p 'q r';",
      "A= B='a:b'; unset C; L=();",
    ),
    script,
    words,
  )
  .map(([before, body, last]) => {
    let count = 0;
    return `${before} ${body}; show ${last}`.replace(/\bshow\b/gu, () => `show ${count++}`);
  });

/** What `show` gets in real bashes without any program. */
export function shownByBash(all: readonly string[]): string[][][] {
  return inTemporaryFolder((folder) => {
    for (const [at, one] of all.entries()) fs.writeFileSync(path.join(folder, `${at}.sh`), one);
    const show = "show() { printf '\\1'; printf '%s\\2' \"$@\"; printf '\\3'; }";
    const run = `${show}; mkdir() { :; }; for ((n = 0; n < ${all.length}; n++)); do printf '\\4'; ( ulimit -t 1; cd empty; . ../$n.sh ) 2>/dev/null; done`;
    fs.mkdirSync(path.join(folder, "empty"));
    const bash = ["/bin/bash", "/usr/bin/bash"].find((place) => fs.existsSync(place)) ?? "bash";
    const printed = execFileSync(bash, ["--norc", "--noprofile", "-c", run], {
      cwd: folder,
      env: { PATH: "", LC_ALL: "C.UTF-8" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 1 << 28,
      timeout: 120_000,
    });
    const texts = printed.split("\u0004").slice(1);
    return texts.map((text) =>
      [...text.matchAll(/\u0001([^\u0003]*)\u0003/gu)].map(([, shown = ""]) => shown.split("\u0002").slice(0, -1)),
    );
  });
}

export interface Comparison {
  /** The words of a real `show` that aren't among those that may be. */
  missing: string[][];
  /** How many real ones are among them as they are. */
  exact: number;
  /** How many may be anything. */
  unknown: number;
}

/**
 * Whether what real bashes show is among what the reader says that they may show. All of it is unknown in a script
 * that the reader refuses, as every guard then does: bash goes on after an `eval` that it can't parse.
 */
export function compareShown(text: string, real: readonly string[][]): Comparison {
  const may = readShown(text);
  if (may === null) return { missing: [], exact: 0, unknown: real.length };
  const comparison: Comparison = { missing: [], exact: 0, unknown: 0 };
  for (const words of real) {
    const same = may.filter(({ command }) => command.arguments[0] === words[0]);
    const key = JSON.stringify(words);
    if (same.some(({ command }) => JSON.stringify(command.arguments) === key)) comparison.exact++;
    else if (same.some(({ read }) => read.words.some((word) => /[\u{dc80}-\u{dfff}]/u.test(word))))
      comparison.unknown++;
    // A command with too many ways to come out has all of their words.
    else if (same.some(({ command }) => words.every((word) => command.arguments.includes(word)))) comparison.unknown++;
    else comparison.missing.push(words);
  }
  return comparison;
}

function readShown(text: string): ReturnType<typeof readShell> | null {
  try {
    return readShell(text).filter(({ command }) => command.program === "show");
  } catch (error) {
    if (error instanceof UnreadableCommand) return null;
    throw error;
  }
}
