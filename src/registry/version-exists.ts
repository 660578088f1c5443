import { Problem } from "../kernel/problem.ts";

/** The answer of a registry that already has the version, and of a rehearsal of publishing it. */
export function versionExists(name: string, version: string, where: readonly string[] = []): Problem {
  return new Problem("DRWN_VERSION_EXISTS", `${name}@${version} is published already`, {
    details: [...where, "a published version never changes"],
    hint: `drwn card source set ${name} --version patch`,
  });
}
