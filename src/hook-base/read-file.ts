import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";

/** Where the state of one project is. */
export interface StateLocation {
  home: string;
  key: string;
}

/** The same, and where the hook keeps its own notes: in another folder if the user may not write to the state. */
export interface NotesLocation extends StateLocation {
  notes: string;
}

const LARGEST_FILE = 16 * 1024 * 1024;

/**
 * The bytes of a file, or what is wrong with it: a word, or what `refuse` returns.
 */
export function readBytes(file: string, refuse?: (stat: Stats) => string | undefined): Uint8Array | string {
  try {
    // Non-blocking: a pipe in place of the file must not hold up the hook until the agent gives up.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (refuse === undefined ? 0 : constants.O_NOFOLLOW);
    const fd = openSync(file, flags);
    try {
      const stat = fstatSync(fd);
      const fault = refuse?.(stat);
      if (fault !== undefined) return fault;
      return stat.isFile() && stat.size <= LARGEST_FILE ? readRange(fd, 0, stat.size) : "unreadable";
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" ? "missing" : code === "ELOOP" ? "is a symbolic link" : "unreadable";
  }
}

/**
 * Returns fewer bytes if the file ends sooner. This loop needs one function of Node's instead of a dozen, one that
 * standard input was read with already; and it doesn't use a `Buffer`, whose methods Node compiles when they are first
 * called.
 */
export function readRange(fd: number, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(to - from);
  let filled = 0;
  while (filled < bytes.length) {
    const length = readSync(fd, bytes, filled, bytes.length - filled, from + filled);
    if (length === 0) break;
    filled += length;
  }
  return filled === bytes.length ? bytes : bytes.subarray(0, filled);
}
