import path from "node:path";
import type { OptionDeclaration } from "../../contract/options.ts";
import { readIfThere } from "../../kernel/read-file.ts";
import type { HookIndex } from "../hooks/hook-index.ts";
import { carryOut, planFolderRemoval, planSourceFile, type SourceChange } from "./change.ts";
import { refuseLinksOnTheWay } from "./source.ts";

/** Not packed: it is only for the author's editor and `tsc`. */
const TYPES_FILE = ".drwn/hook-options.d.ts";

/** Writes the types of the hooks' options from card.json, if they differ; a source without options has no such file. */
export function writeOptionTypes(dir: string, { hooks }: HookIndex): SourceChange[] {
  refuseLinksOnTheWay(dir, TYPES_FILE);
  const file = path.join(dir, TYPES_FILE);
  const before = readIfThere(file)?.toString();
  const declared = hooks.flatMap(({ name, options }) => (options === undefined ? [] : [{ name, options }]));
  const text = [
    "// Made by `drwn card source doctor` from what card.json declares.",
    'declare module "darwinian-minds/hook-policy" {',
    "  interface HookOptions {",
    ...declared.flatMap(({ name, options }) => [
      `    ${JSON.stringify(name)}: {`,
      ...Object.entries(options).flatMap(([option, one]) => [
        `      /** ${one.description.replaceAll("*/", "* /")} */`,
        `      readonly ${option}: ${typeOf(one)};`,
      ]),
      "    };",
    ]),
    "  }",
    "}",
    "",
  ].join("\n");
  if (declared.length === 0) {
    return before === undefined ? [] : carryOut(planFolderRemoval("remove-option-types", file), {});
  }
  return before === text ? [] : carryOut([planSourceFile("update-option-types", file, text)], {});
}

function typeOf(declared: OptionDeclaration): string {
  switch (declared.type) {
    case "boolean":
      return "boolean";
    case "integer":
      return "number";
    case "string":
      return "string";
    case "strings":
    case "globs":
      return "readonly string[]";
    case "enum":
      return declared.values.map((value) => JSON.stringify(value)).join(" | ");
  }
}
