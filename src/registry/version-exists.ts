import { Problem } from "../kernel/problem.ts";

/** What a registry answers to a version that it has, and a rehearsal of publishing one. */
export function versionExists(name: string, version: string, where: readonly string[] = []): Problem {
  return new Problem("DRWN_VERSION_EXISTS", `${name}@${version} is published already`, {
    details: [...where, "a published version never changes"],
    hint: `drwn card source set ${name} --version patch`,
  });
}
