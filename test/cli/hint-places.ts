import path from "node:path";
import { parse } from "acorn";
import { build } from "esbuild";
import { findCommand, isTopic, type Names } from "../../src/cli/names/names.ts";
import { readSources } from "../architecture/sources.ts";
import { repository } from "../docs/world.ts";

interface Node {
  type: string;
  [field: string]: unknown;
}

/** What describes a command or a code names commands, and isn't a hint: the pages that are made of it are checked as pages. */
const DESCRIBING = new Set(["description", "summary", "examples", "deprecated"]);
const NO_HINTS = ["src/kernel/problem.ts"];
/** Where a command ends in a sentence. */
const BETWEEN = /`|[,;()\n]|<\/| && | < |: |\. | = /u;

/** The commands that the texts of `src` tell somebody to type; an expression is `…`. */
export async function readHintedCommands(names: Names): Promise<string[]> {
  const files = readSources(repository).filter(
    ({ path: file, text }) => /["'`].*\bdrwn [a-z]|\bdrwn\("/u.test(text) && !NO_HINTS.includes(file),
  );
  const built = await build({
    entryPoints: files.map(({ path: file }) => path.join(repository, file)),
    outdir: repository,
    outbase: repository,
    bundle: false,
    write: false,
    target: "esnext",
    format: "esm",
    charset: "utf8",
    logLevel: "silent",
  });
  const found = built.outputFiles.flatMap(({ text }) => {
    const program = parse(text, { ecmaVersion: "latest", sourceType: "module" }) as unknown as Node;
    return textsIn(program).flatMap((one) => commandsIn(one, names));
  });
  return [...new Set(found)];
}

function textsIn(node: Node): string[] {
  const { name } = (node["key"] ?? {}) as { name?: string };
  if (node.type.startsWith("Property") && name !== undefined && DESCRIBING.has(name)) return [];
  const inside = childrenOf(node).flatMap(textsIn);
  if (isAdvised(node)) return [["drwn", ...(node["arguments"] as Node[]).map(textOf)].join(" "), ...inside];
  return node.type === "Literal" || node.type === "TemplateLiteral" ? [textOf(node), ...inside] : inside;
}

/** `drwn("card trust", card, "--hooks")` */
function isAdvised({ type, callee }: Node): boolean {
  return type === "CallExpression" && (callee as { name?: string }).name === "drwn";
}

function textOf(node: Node): string {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : "";
  if (node.type !== "TemplateLiteral") return "…";
  const quasis = node["quasis"] as { value: { cooked: string } }[];
  return quasis.map(({ value }) => value.cooked).join("…");
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((child): child is Node => typeof child === "object" && child !== null && "type" in child);
}

function commandsIn(text: string, names: Names): string[] {
  return text.split(BETWEEN).flatMap((part) => {
    const command = /(?:^| )(drwn [a-z].*)$/u.exec(part.split(/ (?:or|and) /u)[0] ?? "")?.[1]?.trim();
    const words = command?.split(" ").slice(1) ?? [];
    const isCommand = findCommand(words, names) !== undefined || isTopic(words[0] ?? "", names);
    return command !== undefined && isCommand ? [command] : [];
  });
}
