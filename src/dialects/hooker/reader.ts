import { readFileSync, writeFileSync } from "node:fs";
import { compileFile } from "./read/read.ts";

/**
 * The hook process starts this program for each policies.rb whose content is new to it: files go in, their data comes
 * out.
 */
const files: string[] = JSON.parse(readFileSync(0, "utf8"));
writeFileSync(1, JSON.stringify(files.map((file) => compileFile(Buffer.from(file, "base64")))));
