import { hasUnknown } from "./parse/marks.ts";
import type { Held, Shell } from "./state.ts";

const TOKEN = /\s*(\d+|[A-Za-z_]\w*|\*\*|[-+*/%()])/y;
const ASSIGNED = () =>
  /([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:\+\+|--|(?:<<|>>|[-+*/%|&^])?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)/gu;

/** The names that arithmetic assigns. */
export function namesAssigned(text: string): string[] {
  return [...text.matchAll(ASSIGNED())].map(([, before, after]) => before ?? after ?? "");
}

/** The result of arithmetic with whole numbers; undefined: only running it shows this. */
export function calculated(
  text: string,
  expander: { lookup(name: string): Held; assign(name: string, value: Held): void },
  shell: Shell,
): string | undefined {
  const names = text.match(/[A-Za-z_]\w*/gu) ?? [];
  for (const name of names) {
    const value = expander.lookup(name);
    // A shell calculates what a variable holds, and so runs what is in it.
    if (typeof value === "string") shell.runExpansionsIn(value);
  }
  const assigned = namesAssigned(text);
  for (const name of assigned) expander.assign(name, shell.state.unknown(name));
  if (assigned.length > 0 || hasUnknown(text)) return undefined;
  const tokens = tokensIn(text);
  if (tokens === undefined) return undefined;
  const numberOf = (name: string): number | undefined => {
    const value = expander.lookup(name);
    return typeof value === "string" && /^-?(?:0|[1-9]\d{0,8})$/.test(value) ? Number(value) : undefined;
  };
  const reader = { tokens, at: 0, numberOf };
  const result = joined(reader);
  return result === undefined || reader.at < tokens.length || !Number.isSafeInteger(result)
    ? undefined
    : String(result === 0 ? 0 : result);
}

interface Reader {
  tokens: readonly string[];
  at: number;
  numberOf: (name: string) => number | undefined;
}

function tokensIn(text: string): string[] | undefined {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined || tokens.length > 100 || /^0\d|^\*\*|\d{10}/.test(token)) return undefined;
    tokens.push(token);
  }
  return tokens;
}

/** What signs of the same rank join; those behind them bind more closely. */
function joined(reader: Reader, [signs, ...closer]: readonly RegExp[] = [/^[-+]$/, /^[*/%]$/]): number | undefined {
  if (signs === undefined) return unary(reader);
  let left = joined(reader, closer);
  while (left !== undefined && signs.test(reader.tokens[reader.at] ?? "")) {
    const sign = reader.tokens[reader.at++];
    const right = joined(reader, closer);
    if (right === undefined || (right === 0 && /[/%]/.test(sign ?? ""))) return undefined;
    if (sign === "+" || sign === "-") left += sign === "+" ? right : -right;
    else left = sign === "*" ? left * right : sign === "/" ? Math.trunc(left / right) : left % right;
  }
  return left;
}

function unary(reader: Reader): number | undefined {
  const token = reader.tokens[reader.at++];
  if (token === undefined) return undefined;
  if (token === "-" || token === "+") {
    const value = unary(reader);
    return value === undefined ? undefined : token === "-" ? -value : value;
  }
  if (token === "(") {
    const value = joined(reader);
    return reader.tokens[reader.at++] === ")" ? value : undefined;
  }
  return /^\d/.test(token) ? Number(token) : /^\w/.test(token) ? reader.numberOf(token) : undefined;
}
