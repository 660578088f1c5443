import fc from "fast-check";

/** How a word can be written; all ways mean the same to a shell. The empty word needs quotes. */
export const QUOTINGS: readonly ((word: string) => string)[] = [
  (word) => (word === "" ? "''" : word.replace(/[^\w/:=.,@%+-]/gu, "\\$&")),
  (word) => `'${word.replaceAll("'", "'\\''")}'`,
  (word) => `"${word.replace(/[$`"\\]/gu, "\\$&")}"`,
  (word) => `$'${word.replace(/['\\]/gu, "\\$&")}'`,
  (word) => `$'${[...word].map((letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")}'`,
  (word) => `''${inHalves(word, (half) => `"${half.replace(/[$`"\\]/gu, "\\$&")}"`)}`,
  (word) => `""${inHalves(word, (half) => half.replace(/[^\w/:=.,@%+-]/gu, "\\$&"), "\\\n")}`,
];

function inHalves(word: string, write: (half: string) => string, between = ""): string {
  const middle = Math.floor(word.length / 2);
  return write(word.slice(0, middle)) + between + write(word.slice(middle));
}

/** What can stand right before a simple command. */
export const PREFIXES: readonly ((command: string) => string)[] = [
  (command) => `sudo -u me ${command}`,
  (command) => `env -i A=1 ${command}`,
  (command) => `command ${command}`,
  (command) => `exec nice -n 5 nohup ${command}`,
  (command) => `xargs -n 1 ${command}`,
  (command) => `time timeout 5 ${command}`,
  (command) => `A=1 B='x y' ${command}`,
  (command) => `< in ${command}`,
];

/** `((` would begin arithmetic, so parentheses have blanks in them. What a command can stand in and still run as it is. */
export const WRAPPINGS: readonly ((command: string) => string)[] = [
  (command) => command,
  (command) => `  ${command}  `,
  (command) => `\n\n${command}\n`,
  (command) => `${command} # git -f`,
  (command) => `# it's\n${command}`,
  (command) => `${command} > "out put" 2>&1`,
  (command) => `cd "a b" && ${command}`,
  (command) => `${command} && ls -f`,
  (command) => `false || ${command}; rm -f x`,
  (command) => `ls | ${command} | cat`,
  (command) => `sleep 1 & ${command} &`,
  (command) => `! ${command}`,
  (command) => `( ${command} )`,
  (command) => `{ ${command}; }`,
  (command) => `if true; then ${command}; else ls; fi`,
  (command) => `while ${command}; do ls; done`,
  (command) => `for x in a b; do ${command}; done`,
  (command) => `case a in (a | b) ls ;; *) ${command} ;; esac`,
  (command) => `f() { ${command}; }; f`,
  (command) => `echo $( ${command} )`,
  (command) => `echo "a $( ${command} ) b"`,
  (command) => `x=$( ${command} )`,
  // A comment would swallow what closes it.
  (command) => `diff <(ls) <(${command}\n)`,
  (command) => `[[ -n $x && a < b ]] && ${command}`,
  (command) => `(( 1 << 2 )); ${command}`,
  (command) => `cat <<END\nit's $( ${command} )\nEND`,
  (command) => `cat <<'END'\nit's $( \nEND\n${command}`,
  (command) => `bash -c ${QUOTINGS[1]?.(command)}`,
  (command) => `bash -euo pipefail -c ${QUOTINGS[2]?.(command)}`,
  (command) => `eval ${QUOTINGS[3]?.(command)}`,
  (command) => `echo ${QUOTINGS[1]?.(command)} | sh`,
  (command) => `sh <<'END'\n${command}\nEND`,
];

/** Texts in which the command is only talked about. */
export const MENTIONS: readonly ((command: string) => string)[] = [
  (command) => `echo ${QUOTINGS[1]?.(command)}`,
  (command) => `grep -e ${QUOTINGS[2]?.(command)} file`,
  (command) => `x=${QUOTINGS[3]?.(command)} ls`,
  (command) => `cat > file <<'END'\n${command}\nEND`,
  (command) => `: ${QUOTINGS[1]?.(command)} && ls`,
  (command) => `[[ $x == ${QUOTINGS[1]?.(command)} ]]`,
];

const GAPS = [" ", "  ", "\t", " \\\n", "\\\n "];

/** A simple command as its words, and one of the many ways to write them. */
export function writtenCommand(words: fc.Arbitrary<string[]>): fc.Arbitrary<{ words: string[]; text: string }> {
  return words.chain((list) =>
    fc
      .array(fc.record({ quote: fc.constantFrom(...QUOTINGS), gap: fc.constantFrom(...GAPS) }), {
        minLength: list.length,
        maxLength: list.length,
      })
      .map((ways) => {
        const written = list.map((word, at) => `${at === 0 ? "" : (ways[at]?.gap ?? " ")}${ways[at]?.quote(word)}`);
        return { words: list, text: written.join("") };
      }),
  );
}
