import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { type Assignment, forEachChild, parse, type SyntaxNode } from "unbash";
import { describe, expect, test } from "vitest";
import { unquoted } from "../../../src/helpers/shell/parse/marks.ts";
import { parseScript } from "../../../src/helpers/shell/parse/parse-script.ts";
import type { Part, Simple } from "../../../src/helpers/shell/parse/syntax.ts";
import { commandsOf } from "../../../src/helpers/shell/unwrap.ts";
import { COMMANDS } from "../git-commands.ts";
import { WRAPPINGS, writtenCommand } from "./texts.ts";

/** The simple commands that a complete parser of bash finds, as lists of words. Null: it sees a fault in the text. */
function commandsByOracle(text: string): string[][] | null {
  const found: string[][] = [];
  let isFaulty = false;
  const visit = (node: SyntaxNode): void => {
    if ("errors" in node && node.errors !== undefined && node.errors.length > 0) isFaulty = true;
    if (node.type === "Command" && node.name !== undefined) {
      const given = node.args.map((argument) => (argument.type === "Word" ? argument.value : assignmentText(argument)));
      found.push([node.name.value, ...given]);
    }
    forEachChild(node, visit);
  };
  visit(parse(text));
  return isFaulty ? null : found;
}

function assignmentText({ name, value, text }: Assignment): string {
  return value.type === "Word" ? `${name}=${value.value}` : text;
}

/** The same by our parser: every command in the tree of a text, with the parts of its words as they are written. */
function commandsByUs(text: string): string[][] {
  const seen = new Set<object>();
  const found: string[][] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    if (isSimple(node) && node.words.length > 0) found.push(node.words.map(({ parts }) => written(parts)));
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(parseScript(text));
  return found;
}

function isSimple(node: object): node is Simple {
  return "kind" in node && node.kind === "simple";
}

function written(parts: readonly Part[]): string {
  const texts = parts.map((part) => {
    if (typeof part === "string") return unquoted(part);
    return part.kind === "quoted" ? written(part.parts) : part.source;
  });
  return texts.join("");
}

function sorted(commands: readonly string[][] | null): string[] {
  return (commands ?? []).map((words) => JSON.stringify(words)).sort();
}

const PRINTS = /(?:\$\(|`)\s*(?:echo|printf|cat)\b/u;

/** Where we mean something else: assignments and what `echo` and `cat` print are followed, and lines may end as on Windows. */
function isOurs(text: string): boolean {
  if (PRINTS.test(text)) return true;
  return (/\$\{?\w/u.test(text) && /\w\+?=/u.test(text)) || text.includes("\r");
}

describe("a complete parser of bash finds the same commands", () => {
  const table = Object.values(COMMANDS).flatMap(({ meant, others }) => [...meant, ...others]);
  test.each(table.filter((text) => commandsByOracle(text) !== null && !isOurs(text)))("%j", (text) => {
    expect(sorted(commandsByUs(text))).toEqual(sorted(commandsByOracle(text)));
  });

  test("in whatever commands stand in", () => {
    const words = fc
      .array(fc.constantFrom("a", "-f", "x y", "it's", "", "|", "(", "#", "+b", "$", "*", "=", "esac", "done"), {
        maxLength: 4,
      })
      .map((rest) => ["program", ...rest]);
    fc.assert(
      fc.property(writtenCommand(words), fc.constantFrom(...WRAPPINGS), ({ text }, wrap) => {
        const whole = wrap(text);
        expect(sorted(commandsByUs(whole))).toEqual(sorted(commandsByOracle(whole)));
      }),
      { numRuns: 1500 },
    );
  });
});

test.each([
  "git push $(echo --force)",
  "git push `echo -n -f` origin",
  'git push "$(echo --force origin)"',
  "git push a$(echo b c)d",
  "git push $(echo -n)",
  "git push \"`echo '-f'`\"",
])("bash makes the same words of what `echo` and `cat` print: %j", (text) => {
  const shell = `git() { printf '%s\\n' git "$@"; }; ${text}`;
  const words = execFileSync("bash", ["-c", shell], { encoding: "utf8" }).trimEnd().split("\n");
  const read = commandsOf(text).at(-1);
  expect([read?.path, ...(read?.arguments ?? [])]).toEqual(words);
});

test("what no shell would accept is refused, as the parser of bash refuses it", () => {
  const faulty = ["'", '"a', "$(ls", "`ls", "ls )", "(ls", "echo ${x", "case x in a) ls", "[[ a", "ls >", "a=(b"];
  expect(faulty.filter((text) => commandsByOracle(text) !== null)).toEqual([]);
  for (const text of faulty) expect(() => commandsOf(text)).toThrow();
});
