import type { Step } from "darwinian-minds/hook-policy/helpers";

const FIRST_FIELD = /^\s*(?:\/[^/]*\/\s*)?\{\s*print \$1;?\s*\}\s*$/;
/** Replaces everything after the first `=` by a text that repeats none of it. */
const WITHOUT_VALUES = /^s([/|,#])=\.[*+]\1[^&\\/|,#]*\1g?$/;

/** Whether only the names of lines such as `NAME=value` are shown. */
export function namesAlone({ program, arguments: given }: Pick<Step, "program" | "arguments">): boolean {
  if (program === "cut")
    return /^-d ?=$/.test(valueBehind("d", given)) && given.some((word) => /^(?:-f)?1$/.test(word));
  const [script = "", ...more] = given.filter((word, at) => !word.startsWith("-") && given[at - 1] !== "-F");
  if (/^[gmn]?awk$/.test(program))
    return (
      valueBehind("F", given) === "-F=" &&
      FIRST_FIELD.test(script) &&
      flagsOf(given).every((word) => /^-F=?$/.test(word))
    );
  if (!/^g?sed$/.test(program)) return false;
  return WITHOUT_VALUES.test(script) && more.length > 0 && flagsOf(given).every((word) => /^-[Eru]$/.test(word));
}

function valueBehind(letter: string, given: readonly string[]): string {
  const at = given.findIndex((word) => word.startsWith(`-${letter}`));
  return given[at] === `-${letter}` ? `-${letter}${given[at + 1] ?? ""}` : (given[at] ?? "");
}

function flagsOf(given: readonly string[]): string[] {
  return given.filter((word) => word.startsWith("-"));
}

/** Whether a program leaves a file that only the owner of another key can read. With a password, which the agent would choose, it doesn't. */
export function encrypts({ program, arguments: given }: Step): boolean {
  const [verb = ""] = given;
  const has = (pattern: RegExp) => given.some((word) => pattern.test(word));
  if (program === "sops")
    return /^(?:-e|--encrypt|encrypt|updatekeys|rotate|-r|--rotate)$/.test(verb) && !has(/^(?:-d|--decrypt)$/);
  if (program === "ansible-vault") return /^(?:encrypt|create|rekey)$/.test(verb) && !has(/^--output=?-?$|^\/dev\//);
  if (program === "dotenvx") return /^(?:encrypt|set|ls|rotate)$/.test(verb);
  const hasRecipient = has(/^(?:-[a-zA-Z]*r|-R|--recipients?(?:-file)?)(?:=|$)/);
  if (program === "age" || program === "rage") return hasRecipient && !has(/^(?:-d|--decrypt|-p|--passphrase)$/);
  if (/^gpg2?$/.test(program))
    return hasRecipient && has(/^(?:-[a-z]*e[a-z]*|--encrypt)$/) && !has(/^(?:-d|--decrypt|-c|--symmetric)$/);
  return false;
}
