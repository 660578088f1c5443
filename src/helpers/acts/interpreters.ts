import { oneOf, oneOfAnyCase, withoutVersion } from "../pattern/one-of.ts";
import { optionsOf } from "../programs/options.ts";
import type { Step } from "../shell/commands.ts";
import { inputTexts } from "./input.ts";

/** Code that a command gives to an interpreter of a language other than the shell's. */
export interface Code {
  language: "python" | "node" | "perl" | "ruby" | "php" | "other";
  text: string;
}

export const NODES = oneOfAnyCase("node nodejs deno bun tsx ts-node");
/** Programs whose names may end in a version. */
const VERSIONED: Readonly<Record<string, Code["language"]>> = {
  python: "python",
  pypy: "python",
  ipython: "python",
  perl: "perl",
  ruby: "ruby",
  irb: "ruby",
  php: "php",
};
const OTHERS = oneOf(
  "osascript go awk gawk mawk nawk Rscript R groovy jshell elixir erl swift tclsh expect luajit emacs emacsclient guile sbcl julia octave ghc scala swipl raku rakudo crystal vim vi nvim ex ed",
);
const CODE_LETTERS: Readonly<Record<Code["language"], string>> = {
  python: "c",
  node: "ep",
  perl: "eE",
  ruby: "e",
  php: "rBER",
  other: "eEcg",
};

/** Other options that take a value: a module, a folder. */
const OTHER_LETTERS: Readonly<Record<Code["language"], string>> = {
  python: "mWX",
  node: "r",
  perl: "MmI",
  ruby: "rIC",
  php: "dz",
  other: "",
};

const CODE_NAMES = ["eval", "-eval", "print", "run", "execute"];

/**
 * The code in `-c`, `-e` or a here-document, or that `echo` prints into it; undefined: there is none that can be read.
 */
export function codeOf(step: Step): Code | undefined {
  const language = languageOf(step.program);
  if (language === undefined) return undefined;
  const { values, operands } = optionsOf(step.arguments, {
    letters: CODE_LETTERS[language] + OTHER_LETTERS[language],
    names: CODE_NAMES,
  });
  const given = values(...CODE_LETTERS[language], ...CODE_NAMES);
  if (/awk$/u.test(step.program) || (operands[0] === "eval" && /node|other/u.test(language))) given.push(...operands);
  if (oneOf("vim vi nvim ex")(step.program)) given.push(...operands.filter((word) => word.startsWith("+")));
  if (language === "node")
    given.push(...[...step.arguments, ...(step.environment.get("NODE_OPTIONS") ?? "").split(" ")].flatMap(inAddress));
  if (given.length > 0) return { language, text: isPrinted(step) ? `print(${given.join("\n")})` : given.join("\n") };
  if (step.made.length > 0) return { language, text: step.made.join("\n") };
  if (operands.some((word) => !/^(?:-|run)$|^\/dev\//u.test(word))) return undefined;
  const text = inputTexts(step).join("\n");
  return text === "" ? undefined : { language, text };
}

/** The code in an address, which any option that loads a module may have: `--import 'data:text/javascript,…'`. */
function inAddress(word: string): string[] {
  const [, kind, code = ""] = /^(?:--?[\w-]+=)?data:([^,]*),([\s\S]+)$/u.exec(word) ?? [];
  if (kind === undefined) return [];
  if (/;base64$/iu.test(kind)) return [Buffer.from(code, "base64").toString()];
  return [code.replace(/(?:%[\da-f]{2})+/giu, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString())];
}

/** `node -p` prints the value of its code. */
function isPrinted({ program, arguments: given }: Step): boolean {
  return oneOf("node nodejs bun deno")(program) && given.some((word) => oneOf("-p -pe --print")(word));
}

function languageOf(program: string): Code["language"] | undefined {
  if (OTHERS(program)) return "other";
  if (NODES(program)) return "node";
  const plain = withoutVersion(program);
  const name = plain.toLowerCase();
  return plain === "lua" ? "other" : Object.hasOwn(VERSIONED, name) ? VERSIONED[name] : undefined;
}
