import { TEMPORARY } from "./atomic.ts";
import { Problem } from "./problem.ts";
import { clean } from "./text.ts";

/** Errors of the system that its user can do something about, each with a hint. */
const REFUSALS: Readonly<Record<string, string>> = {
  EAGAIN: "name a plain file",
  EACCES: "see whose file it is, and who may write to it",
  EDQUOT: "make room, then run the command again",
  EFBIG: "make room, then run the command again",
  EIO: "see what is wrong with the disk, then run the command again",
  EISDIR: "name a file, not a folder",
  ELOOP: "see where the links on its path lead",
  EMFILE: "let a process open more files, then run the command again",
  ENAMETOOLONG: "name a shorter path",
  ENFILE: "end what keeps so many files open, then run the command again",
  ENOSPC: "make room, then run the command again",
  ENOTDIR: "see which part of its path isn't a folder",
  ENXIO: "name a plain file",
  EPERM: "see whose file it is, and who may write to it",
  EROFS: "have its disk mounted for writing, then run the command again",
};

const TEMPORARY_NAMES = new RegExp(`/${TEMPORARY.replaceAll(".", "\\.")}[^/']*`, "gu");

/** The problem for a refusal of the file system; undefined: it is something else, and our bug. */
export function toFileSystemProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  const hint = REFUSALS[String(error.code)];
  if (hint === undefined) return undefined;
  return new Problem("DRWN_TARGET_UNWRITABLE", clean(withoutTemporaryNames(error.message)), { hint, cause: error });
}

/** A temporary file exists only for a moment, and its folder is what refuses, so the message names the folder. */
function withoutTemporaryNames(message: string): string {
  return message.replace(TEMPORARY_NAMES, "");
}
