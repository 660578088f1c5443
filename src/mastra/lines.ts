import type { ServedAnswer } from "../contract/serving.ts";

/** One line of the answering process. */
export type AnswerLine =
  | { kind: "greeting"; version: number; totalMs: number }
  | { kind: "answer"; id: number; answer: ServedAnswer | null }
  | { kind: "retired"; id: number }
  | { kind: "nonsense" };

type Fields = Readonly<Record<string, unknown>>;

const NONSENSE: AnswerLine = { kind: "nonsense" };
const ACTIONS = ["allow", "ask", "deny"] as const;

export function readLine(text: string): AnswerLine {
  const value = parse(text);
  if (value === undefined) return NONSENSE;
  const { drwn, totalMs, id, answer, retired } = value;
  if (typeof drwn === "number") {
    return typeof totalMs === "number" ? { kind: "greeting", version: drwn, totalMs } : NONSENSE;
  }
  if (typeof id !== "number") return NONSENSE;
  if (retired === true) return { kind: "retired", id };
  if (answer === null) return { kind: "answer", id, answer };
  const read = isFields(answer) ? readAnswer(answer) : undefined;
  return read === undefined ? NONSENSE : { kind: "answer", id, answer: read };
}

function readAnswer(answer: Fields): ServedAnswer | undefined {
  const { reason, updatedInput } = answer;
  const action = ACTIONS.find((one) => one === answer["action"]);
  if (action === undefined || (updatedInput !== undefined && !isFields(updatedInput))) return undefined;
  return {
    action,
    ...(typeof reason === "string" ? { reason } : {}),
    ...("output" in answer ? { output: answer["output"] } : {}),
    ...(updatedInput === undefined ? {} : { updatedInput }),
  };
}

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
