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

/** A file of kept code, and its program. */
interface Kept {
  file: string;
  program: string;
  kind: KeptFor;
}

/**
 * Makes V8 keep the code of the installed hook programs, unless it is kept already for these programs and this Node. No
 * call needs it, but each takes a sixth less CPU time with it. So no failure here makes `drwn write` fail.
 */
export async function keepCode(home: string, nodePath: string): Promise<void> {
  try {
    const mark = markOf(nodePath);
    const missing = listKept(path.dirname(layout.hook(home))).filter((kept) => !isCurrent(kept, mark));
    for (const [{ file }, content] of await makeCode(nodePath, mark, missing)) writeAtomic(file, content, 0o644);
  } catch {
    // A Node that doesn't know all of these flags, or a full disk: the hook also judges calls without kept code.
  }
}

/** Files that the hook accepts as V8's but this Node makes differently: their author decides what the hook does. */
export async function findForgedCode(home: string, nodePath: string): Promise<string[]> {
  const taken = listKept(path.dirname(layout.hook(home))).filter((kept) => readWhole(kept) !== undefined);
  const made = await makeCode(nodePath, markOf(nodePath), taken);
  return [...made].flatMap(([{ file }, content]) => {
    const found = (readRegular(file) ?? Buffer.alloc(0)).subarray(MARK_BYTES);
    const line = content.subarray(MARK_BYTES, content.indexOf("\n", MARK_BYTES));
    // This Node ignores what another Node made.
    const isTaken = found.subarray(0, line.length).equals(line);
    return isTaken && !found.equals(content.subarray(MARK_BYTES)) ? [file] : [];
  });
}

/** The files of kept code that the hook programs in the folder can have. */
export function listKept(folder: string): Kept[] {
  return fs
    .readdirSync(folder)
    .filter((name) => /^hook(?:-[a-z-]+)?\.cjs$/u.test(name))
    .flatMap((name) => {
      const program = path.join(folder, name);
      // The program of one agent never starts without confinement.
      const kinds = KEPT_FOR.filter((kind) => kind !== "long" || name === "hook.cjs");
      return kinds.map((kind) => ({ file: keptCodeOf(program, kind), program, kind }));
    });
}

/** Identifies a Node: another Node is another file, or has another time of change. */
export function markOf(nodePath: string): string {
  const { ino, size, ctimeMs } = fs.statSync(nodePath);
  return digestOf(JSON.stringify([nodePath, ino, size, ctimeMs])).slice(-MARK_BYTES);
}

/** Whether this Node made it, from this program. */
export function isCurrent(kept: Kept, mark: string): boolean {
  return readWhole(kept)?.toString("latin1", 0, MARK_BYTES) === mark;
}

/** The bytes, if the hook would accept them with this Node: both copies are the same, and of this program. */
function readWhole({ file, program }: Kept): Buffer | undefined {
  const [kept, text] = [readRegular(file), readRegular(program)];
  if (kept === undefined || text === undefined) return undefined;
  const first = startOfCode(kept.toString("latin1", MARK_BYTES, kept.indexOf("\n", MARK_BYTES) + 1));
  const end = kept.length - text.length;
  const second = first + (end - first) / 2;
  if (second <= first || !kept.subarray(end).equals(text)) return undefined;
  return kept.subarray(first, second).equals(kept.subarray(second, end)) ? kept : undefined;
}

/** The hook accepts only regular files, too, and this doesn't wait for a pipe. */
export function readRegular(file: string): Buffer | undefined {
  try {
    return readIfThere(file);
  } catch {
    return undefined;
  }
}

/** The content that each file should have. */
export async function makeCode(nodePath: string, mark: string, wanted: readonly Kept[]): Promise<Map<Kept, Buffer>> {
  const made = new Map<Kept, Buffer>();
  for (const kept of wanted) {
    // A package that was built for this Node brings its own.
    const brought = packageFile(`dist/kept/${path.basename(kept.file)}`);
    if (isCurrent({ ...kept, file: brought }, mark)) made.set(kept, fs.readFileSync(brought));
  }
  const missing = wanted.filter((kept) => !made.has(kept));
  const making = [...new Set(missing.map(({ program }) => program))].flatMap((program) => {
    const files = missing.filter((kept) => kept.program === program);
    // A confined process, with the flags of `foretold`, makes the code for confined processes.
    return [files.filter(({ kind }) => kind !== "long"), files.filter(({ kind }) => kind === "long")];
  });
  await Promise.all(
    making.map(async (files) => {
      const contents = await runKeeper(nodePath, mark, files);
      for (const [at, kept] of files.entries()) made.set(kept, contents[at] ?? Buffer.alloc(0));
    }),
  );
  return made;
}

/** The contents of the files of one program, for one set of flags, in their order. */
async function runKeeper(nodePath: string, mark: string, files: readonly Kept[]): Promise<Buffer[]> {
  const [first] = files;
  if (first === undefined) return [];
  const flags = flagsFor(first.kind === "long" ? "long" : "foretold");
  const keeper = ["--random-seed=7", "--no-warnings", ...flags, packageFile("dist/kept/keep.cjs"), mark];
  const { stdout } = await run(nodePath, [...keeper, first.program, ...files.map(({ kind }) => kind)], {
    encoding: "buffer",
    env: {},
    timeout: PATIENCE_MS,
    maxBuffer: LARGEST,
  });
  let end = 0;
  return files.map(() => {
    const start = stdout.indexOf("\n", end) + 1;
    end = start + Number(stdout.toString("latin1", end, start));
    return stdout.subarray(start, end);
  });
}

const PATIENCE_MS = 20_000;
const LARGEST = 16 * 1024 * 1024;
const run = promisify(execFile);
