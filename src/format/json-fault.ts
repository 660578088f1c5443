import { createScanner, printParseErrorCode, visit } from "jsonc-parser";
import { MAXIMUM_DEPTH, readDrwnJson } from "./drwn-json.ts";

/** Where a text stops being strict JSON, and what should be there. */
export interface JsonFault {
  offset: number;
  expected: string;
}

const EXPECTED: Readonly<Record<string, string>> = {
  InvalidCommentToken: "no comment",
  PropertyNameExpected: "a name in double quotes",
  ValueExpected: "a value",
  ColonExpected: "a colon",
  CommaExpected: "a comma or a closing bracket",
  CloseBraceExpected: "`}` or a comma",
  CloseBracketExpected: "`]` or a comma",
  EndOfFileExpected: "the end of the file",
};

/**
 * The first fault of a text that should be strict JSON in which no object has a key twice; undefined: there is none.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  if (readDrwnJson(text) !== undefined) return undefined;
  // The parser recurses for each level, so many brackets could exhaust the stack.
  const tooDeep = findDepthFault(text);
  if (tooDeep !== undefined) return tooDeep;
  const faults: JsonFault[] = [];
  const open: Set<string>[] = [];
  visit(
    text,
    {
      onError: (code, offset) => {
        faults.push({ offset, expected: EXPECTED[printParseErrorCode(code)] ?? "strict JSON" });
      },
      onObjectBegin: () => {
        open.push(new Set());
      },
      onObjectEnd: () => {
        open.pop();
      },
      onObjectProperty: (key, offset) => {
        if (open.at(-1)?.has(key)) faults.push({ offset, expected: "each name once in an object" });
        open.at(-1)?.add(key);
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  return faults.sort((left, right) => left.offset - right.offset)[0];
}

function findDepthFault(text: string): JsonFault | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const first = text[scanner.getTokenOffset()];
    if (first === "}" || first === "]") depth -= 1;
    if (first === "{" || first === "[") depth += 1;
    if (depth > MAXIMUM_DEPTH) {
      return { offset: scanner.getTokenOffset(), expected: `at most ${MAXIMUM_DEPTH} levels of nesting` };
    }
  }
  return undefined;
}
