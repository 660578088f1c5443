import type { CardFiles } from "../files.ts";

/** One file of a card, for a person to read. */
export interface SourceText {
  path: string;
  /** null: it isn't text. */
  text: string | null;
}

/** The files as text, those of the policies first. Runs none of them. */
export function sourceTexts(files: CardFiles, hooks: readonly { files: readonly string[] }[]): SourceText[] {
  const first = new Set(hooks.flatMap((hook) => hook.files));
  const others = [...files.keys()].filter((path) => !first.has(path) && !GENERATED.has(path));
  return [...first, ...others.sort()].map((path) => ({ path, text: toText(files.get(path)) }));
}

/** Made from the other files. */
const GENERATED = new Set(["hooks/index.json", "package.json"]);

function toText(bytes: Uint8Array | undefined): string | null {
  if (bytes === undefined || bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
