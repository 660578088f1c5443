import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";

/** Bytes of the unit that a tar archive is made of. */
export const BLOCK = 512;

export function paddedSize(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

export function refuseTarball(why: string, about: readonly string[] = [], cause?: unknown): Problem {
  return new Problem("DRWN_TARBALL_INVALID", `the tarball is refused whole: ${why}`, {
    details: about.map((line) => clean(line)),
    cause,
  });
}
