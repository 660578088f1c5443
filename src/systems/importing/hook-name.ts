import { HOOK_NAME } from "../../card/name.ts";

const LONGEST_NAME = 64;

/**
 * Makes `No force push` into `no-force-push`. A name that is taken or isn't valid gets a number. The result is then
 * taken, too.
 */
export function hookName(name: string, taken: Set<string>): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .slice(0, LONGEST_NAME - "-9999".length)
    .replace(/^-+|-+$/gu, "");
  for (let number = 1; ; number++) {
    const candidate = `${slug === "" ? "policy" : slug}${number === 1 ? "" : `-${number}`}`;
    if (taken.has(candidate) || !HOOK_NAME.test(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
}
