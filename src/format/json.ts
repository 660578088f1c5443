import { type JSONVisitor, visit } from "jsonc-parser";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";

const MAXIMUM_DEPTH = 64;
/** As keys of a parsed object these reach the prototype of everything, once somebody copies them carelessly. */
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);
const STRICT = { disallowComments: true, allowTrailingComma: false };

interface Place {
  /** How the file is called in messages. */
  file: string;
}

/** Where something is in a JSON document, from its root. */
export type JsonPath = readonly (string | number)[];

/**
 * JSON as RFC 8259 has it, and stricter: an object has no key twice and none that reaches a prototype, and nothing is
 * nested deeper than 64. Two readers of a text that passes see the same value.
 */
export function parseStrictJson(text: string, { file }: Place): unknown {
  refuseDepth(text, file);
  const value = parseOrRefuse(text, file);
  refuseKeys(text, file);
  return value;
}

function refuseDepth(text: string, file: string): void {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === "\\") at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "]" || character === "}") depth -= 1;
    else if (character === "[" || character === "{") {
      depth += 1;
      if (depth > MAXIMUM_DEPTH) throw refuse(file, lineAt(text, at), `is nested deeper than ${MAXIMUM_DEPTH}`);
    }
  }
}

function parseOrRefuse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse(file, lineOfFault(text), "is not JSON", error);
  }
}

function lineOfFault(text: string): number {
  let line: number | undefined;
  const onFault: JSONVisitor = {
    onError: (_error, offset) => {
      line ??= lineAt(text, offset);
    },
  };
  visit(text, onFault, STRICT);
  return line ?? 1;
}

function refuseKeys(text: string, file: string): void {
  const open: Set<string>[] = [];
  visit(
    text,
    {
      onObjectBegin: () => {
        open.push(new Set());
      },
      onObjectEnd: () => {
        open.pop();
      },
      onObjectProperty: (key, offset) => {
        const keys = open.at(-1);
        const refuseKey = (fault: string) => refuse(file, lineAt(text, offset), fault);
        if (FORBIDDEN_KEYS.has(key)) throw refuseKey(`has the key \`${key}\`, which is refused everywhere`);
        if (keys?.has(key)) throw refuseKey(`has the key \`${clean(key, 80)}\` twice in one object`);
        keys?.add(key);
      },
    },
    STRICT,
  );
}

function refuse(file: string, line: number, fault: string, cause?: unknown): Problem {
  return new Problem("DRWN_FILE_INVALID", `${clean(file)}, line ${line}: the file ${fault}`, { cause });
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
