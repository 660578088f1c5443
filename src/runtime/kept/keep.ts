import fs from "node:fs";
import { Script } from "node:vm";
import { MARK_BYTES, startOfCode } from "../../contract/kept-code.ts";
import { withFlag } from "./with-flag.ts";
import { lineOfNode, NAME, wrapProgram } from "./wrap.ts";

/**
 * `keep.cjs <mark> <hook program> <kind>…`, started with the launcher's flags for the first kind: for each kind it
 * writes what V8 keeps of the program, in the form that `load.cjs` takes, after a line with the length. With
 * `--random-seed`, and in a process that does nothing else, the same program always gives the same bytes.
 */
function keep([mark = "", program = "", ...kinds]: readonly string[]): void {
  const text = fs.readFileSync(program);
  // In ASCII each byte is a character, so `load.cjs` needn't decode it.
  if (text.some((byte) => byte > 127)) throw new Error(`${program} isn't ASCII`);
  // V8 would leave most functions for later, and each call would compile those that it runs.
  const compile = () => new Script(wrapProgram(text.toString("latin1")), { filename: NAME });
  const script = withFlag("--no-lazy", "--lazy", compile);
  for (const kind of kinds) {
    const code = kind === "brief" ? keepBrief(script) : script.createCachedData();
    const content = Buffer.concat([headOf(mark), code, code, text]);
    fs.writeFileSync(1, Buffer.concat([Buffer.from(`${content.length}\n`), content]));
  }
}

/**
 * The same bytecode as `foretold`, marked for flags that differ only in `--rehash-snapshot`, with which V8 hashes every
 * name again.
 */
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
