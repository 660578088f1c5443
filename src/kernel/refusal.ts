import { TEMPORARY } from "./atomic.ts";
import { Problem } from "./problem.ts";
import { clean } from "./text.ts";

/** What a system refuses for reasons that its user can see to, with what to do about it. */
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

/** The problem that a refusal of the file system is; undefined for everything else, which is a bug of ours. */
export function asRefusal(error: unknown): Problem | undefined {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  const hint = REFUSALS[String(error.code)];
  if (hint === undefined) return undefined;
  return new Problem("DRWN_TARGET_UNWRITABLE", clean(withoutTemporaryNames(error.message)), { hint, cause: error });
}

/** Nobody looks for a file that was there for a moment: its folder is what refuses. */
function withoutTemporaryNames(message: string): string {
  return message.replace(TEMPORARY_NAMES, "");
}
