import { readFileSync } from "node:fs";
import path from "node:path";

export type ReadProjectText = (file: string) => { name: string; text: string };

const MOST_BYTES = 1024 * 1024;

/** Reads a text file of the project. Paths are relative to the folder in which the session was started. */
export const readProjectText: ReadProjectText | undefined = (file) => {
  const bytes = readFileSync(path.resolve(file));
  if (bytes.length > MOST_BYTES) throw new Error(`${file} is larger than ${MOST_BYTES} bytes`);
  if (bytes.includes(0)) throw new Error(`${file} isn't text`);
  return { name: path.basename(file), text: bytes.toString("utf8") };
};
