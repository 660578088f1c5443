import fs from "node:fs";
import path from "node:path";
import { Script } from "node:vm";
import { MARK_BYTES, startOfCode } from "../../contract/kept-code.ts";
import { withFlag } from "./with-flag.ts";
import { lineOfNode, NAME, wrapProgram } from "./wrap.ts";

/**
 * `keep.cjs <mark> <hook program> <kind>…`, started with the launcher's flags for the first kind: writes for each what V8 keeps of the program,
 * as `load.cjs` takes it, with its length in a line before it. With `--random-seed` a process of its own makes the same of a program every time.
 */
function keep([mark = "", program = "", ...kinds]: readonly string[]): void {
  const text = fs.readFileSync(program);
  // Its bytes are its characters: `load.cjs` doesn't decode them.
  if (text.some((byte) => byte > 127)) throw new Error(`${program} isn't ASCII`);
  const compile = () => new Script(wrapProgram(text.toString("latin1")), { filename: NAME });
  // An agent's program has little that a call doesn't run. V8 leaves functions inside of functions for later, and each call would compile them.
  const script = path.basename(program) === "hook.cjs" ? compile() : withFlag("--no-lazy", "--lazy", compile);
  for (const kind of kinds) {
    const code = kind === "brief" ? keepBrief(script) : script.createCachedData();
    const content = Buffer.concat([headOf(mark), code, code, text]);
    fs.writeFileSync(1, Buffer.concat([Buffer.from(`${content.length}\n`), content]));
  }
}

/** The same bytecode as `foretold`, marked for flags that differ in this one alone: with them V8 hashes every name anew. */
function keepBrief(script: Script): Buffer {
  return withFlag("--rehash-snapshot", "--no-rehash-snapshot", () => script.createCachedData());
}

function headOf(mark: string): Buffer {
  const line = lineOfNode();
  const head = Buffer.alloc(startOfCode(line), " ");
  head.write(mark.slice(0, MARK_BYTES), "latin1");
  head.write(line, MARK_BYTES, "latin1");
  return head;
}

keep(process.argv.slice(2));
