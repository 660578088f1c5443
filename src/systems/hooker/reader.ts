import { readFileSync, writeFileSync } from "node:fs";
import { compileFile } from "./read/compile.ts";

/** The program that the hook process starts for contents of policies.rb that it has not met: files in, their data out. */
const files: string[] = JSON.parse(readFileSync(0, "utf8"));
writeFileSync(1, JSON.stringify(files.map((file) => compileFile(Buffer.from(file, "base64")))));
