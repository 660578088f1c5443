import { type Node, parse } from "acorn";

interface ReturnedAction {
  action: string;
  /** In the source; 1 if it isn't found there. */
  line: number;
}

/**
 * The strings that a source has as `action` in objects that its functions return; none if it doesn't parse: the
 * compiler says what is wrong. Runs none of it.
 */
export async function findReturnedActions(source: Uint8Array): Promise<ReturnedAction[]> {
  const text = Buffer.from(source).toString("utf8");
  const actions = new Set(returnedBy(await parseTypescript(text)).flatMap(actionsOf));
  return [...actions].map((action) => {
    const at = [...text.matchAll(/\baction["'`]?\s*:\s*["'`]([^"'`\n]*)["'`]/gu)].find(([, word]) => word === action);
    return { action, line: text.slice(0, at?.index ?? 0).split("\n").length };
  });
}

async function parseTypescript(text: string): Promise<unknown> {
  const { transform } = await import("esbuild");
  try {
    const { code } = await transform(text, { loader: "ts", format: "esm", target: "node20", logLevel: "silent" });
    return parse(code, { ecmaVersion: "latest", sourceType: "module" });
  } catch {
    return undefined;
  }
}

type Fields = Node & Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "type") === "string";
}

/** What follows each `return`, and the arrow of each function that is a single expression. */
function returnedBy(root: unknown): unknown[] {
  const returned: unknown[] = [];
  const left: unknown[] = [root];
  for (let node = left.pop(); node !== undefined || left.length > 0; node = left.pop()) {
    if (Array.isArray(node)) left.push(...node);
    if (!isNode(node)) continue;
    if (node.type === "ReturnStatement") returned.push(node["argument"]);
    if (node.type === "ArrowFunctionExpression" && node["expression"] === true) returned.push(node["body"]);
    left.push(...Object.values(node).filter((value) => Array.isArray(value) || isNode(value)));
  }
  return returned;
}

/** The fields from which an expression may get its value. */
const CARRIERS: Readonly<Record<string, readonly string[]>> = {
  ConditionalExpression: ["consequent", "alternate"],
  LogicalExpression: ["left", "right"],
  AwaitExpression: ["argument"],
};

function actionsOf(value: unknown): string[] {
  if (!isNode(value)) return [];
  const carriers = CARRIERS[value.type];
  if (carriers !== undefined) return carriers.flatMap((field) => actionsOf(value[field]));
  const properties = value.type === "ObjectExpression" ? value["properties"] : [];
  return (Array.isArray(properties) ? properties : []).flatMap((property: unknown) => {
    if (!isNode(property) || !isNode(property["key"]) || !isNode(property["value"])) return [];
    const { key, value: given } = property;
    const name = key["name"] ?? key["value"];
    const word = given["value"];
    return property["computed"] !== true && name === "action" && typeof word === "string" ? [word] : [];
  });
}
