import { readProjectText } from "./outside/project-texts.ts";
import type { ContextFile } from "./parts.ts";
import { listInWords } from "./require-capabilities.ts";

/** The texts, each between tags with its name, in the given order. A file that cannot be read is an error. */
export function tagged(files: ContextFile | readonly ContextFile[] | undefined): string[] {
  return listInWords(files).map((file) => {
    const { name, text } = typeof file === "string" ? readText(file) : file;
    return `<${name}>\n${text}\n</${name}>`;
  });
}

function readText(file: string): { name: string; text: string } {
  if (readProjectText === undefined) throw new Error(`${file} cannot be read`);
  return readProjectText(file);
}
