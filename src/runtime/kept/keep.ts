import fs from "node:fs";
import { Script } from "node:vm";
import { MARK_BYTES, startOfCode } from "../../contract/kept-code.ts";
import { lineOfNode, NAME, wrapProgram } from "./wrap.ts";

/**
 * `keep.cjs <mark> <hook program>`, started with the flags of the launcher: writes what V8 keeps of the program, as `load.cjs` takes it. With
 * `--random-seed` a process of its own writes the same bytes for a program every time.
 */
function keep([mark = "", program = ""]: readonly string[]): void {
  const text = fs.readFileSync(program);
  // Its bytes are its characters: `load.cjs` doesn't decode them.
  if (text.some((byte) => byte > 127)) throw new Error(`${program} isn't ASCII`);
  const line = lineOfNode();
  const head = Buffer.alloc(startOfCode(line), " ");
  head.write(mark.slice(0, MARK_BYTES), "latin1");
  head.write(line, MARK_BYTES, "latin1");
  const code = new Script(wrapProgram(text.toString("latin1")), { filename: NAME }).createCachedData();
  fs.writeFileSync(1, Buffer.concat([head, code, code, text]));
}

keep(process.argv.slice(2));
