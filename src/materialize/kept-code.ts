import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { flagsFor, KEPT_FOR, type KeptFor, keptCodeOf, MARK_BYTES, startOfCode } from "../contract/kept-code.ts";
import { layout } from "../contract/layout.ts";
import { writeAtomic } from "../kernel/atomic.ts";
import { digestOf } from "../kernel/digest.ts";
import { packageFile } from "../kernel/package-file.ts";
import { readIfThere } from "../kernel/read-file.ts";

/** A file of kept code, and the program that it is of. */
interface Kept {
  file: string;
  program: string;
  kind: KeptFor;
}

/**
 * Has V8 keep the code of the hook programs in place, where it isn't kept yet for these programs and this Node: no call needs it, and each
 * takes a sixth less of the processor with it. So nothing of this makes `drwn write` fail.
 */
export async function keepCode(home: string, nodePath: string): Promise<void> {
  try {
    const mark = markOf(nodePath);
    const missing = listKept(path.dirname(layout.hook(home))).filter((kept) => !isCurrent(kept, mark));
    for (const [{ file }, content] of await makeCode(nodePath, mark, missing)) writeAtomic(file, content, 0o644);
  } catch {
    // A Node that knows not all of these flags, a full disk: calls are judged as well without.
  }
}

/** Files that the hook takes for V8's, and that this Node makes otherwise: whoever made them decides what the hook does. */
export async function findForgedCode(home: string, nodePath: string): Promise<string[]> {
  const taken = listKept(path.dirname(layout.hook(home))).filter((kept) => readWhole(kept) !== undefined);
  const made = await makeCode(nodePath, markOf(nodePath), taken);
  return [...made].flatMap(([{ file }, content]) => {
    const found = (readRegular(file) ?? Buffer.alloc(0)).subarray(MARK_BYTES);
    const line = content.subarray(MARK_BYTES, content.indexOf("\n", MARK_BYTES));
    // What is of another Node is left by this one.
    const isTaken = found.subarray(0, line.length).equals(line);
    return isTaken && !found.equals(content.subarray(MARK_BYTES)) ? [file] : [];
  });
}

/** What there is to be kept of the hook programs in the folder. */
export function listKept(folder: string): Kept[] {
  return fs
    .readdirSync(folder)
    .filter((name) => /^hook(?:-[a-z-]+)?\.cjs$/u.test(name))
    .flatMap((name) => {
      const program = path.join(folder, name);
      // The program of one agent is never started without confinement.
      const kinds = KEPT_FOR.filter((kind) => kind !== "long" || name === "hook.cjs");
      return kinds.map((kind) => ({ file: keptCodeOf(program, kind), program, kind }));
    });
}

/** A Node that is replaced is another file, or changed at another time. */
export function markOf(nodePath: string): string {
  const { ino, size, ctimeMs } = fs.statSync(nodePath);
  return digestOf(JSON.stringify([nodePath, ino, size, ctimeMs])).slice(-MARK_BYTES);
}

/** Whether it was kept by this Node, of this program. */
export function isCurrent(kept: Kept, mark: string): boolean {
  return readWhole(kept)?.toString("latin1", 0, MARK_BYTES) === mark;
}

/** What the hook takes, if it is this Node's: both copies are the same, and of this program. */
function readWhole({ file, program }: Kept): Buffer | undefined {
  const [kept, text] = [readRegular(file), readRegular(program)];
  if (kept === undefined || text === undefined) return undefined;
  const first = startOfCode(kept.toString("latin1", MARK_BYTES, kept.indexOf("\n", MARK_BYTES) + 1));
  const end = kept.length - text.length;
  const second = first + (end - first) / 2;
  if (second <= first || !kept.subarray(end).equals(text)) return undefined;
  return kept.subarray(first, second).equals(kept.subarray(second, end)) ? kept : undefined;
}

/** The hook takes nothing else either, and nobody waits for a pipe. */
export function readRegular(file: string): Buffer | undefined {
  try {
    return readIfThere(file);
  } catch {
    return undefined;
  }
}

/** What each file is to hold. A process of its own keeps the same of a program every time. */
export async function makeCode(nodePath: string, mark: string, wanted: readonly Kept[]): Promise<Map<Kept, Buffer>> {
  const made = new Map<Kept, Buffer>();
  for (const kind of KEPT_FOR) {
    const files = wanted.filter((kept) => kept.kind === kind);
    await Promise.all(files.map(async (kept) => made.set(kept, await makeOne(nodePath, mark, kept))));
  }
  return made;
}

async function makeOne(nodePath: string, mark: string, kept: Kept): Promise<Buffer> {
  // A package that was made for this Node brings it.
  const brought = packageFile(`dist/kept/${path.basename(kept.file)}`);
  if (isCurrent({ ...kept, file: brought }, mark)) return fs.readFileSync(brought);
  const flags = ["--random-seed=7", "--no-warnings", ...flagsFor(kept.kind)];
  const args = [...flags, packageFile("dist/kept/keep.cjs"), mark, kept.program];
  const { stdout } = await run(nodePath, args, {
    encoding: "buffer",
    env: {},
    timeout: PATIENCE_MS,
    maxBuffer: LARGEST,
  });
  return stdout;
}

const PATIENCE_MS = 20_000;
const LARGEST = 8 * 1024 * 1024;
const run = promisify(execFile);
