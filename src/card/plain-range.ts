/** Numbers of at most nine digits: semver judges larger ones, and may refuse them. */
const NUMBER = "(0|[1-9]\\d{0,8})";
const VERSION = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}$`, "u");
const RANGE = new RegExp(`^([\\^~]?)${NUMBER}\\.${NUMBER}\\.${NUMBER}$`, "u");

/** Whether it is three numbers, as nearly all versions are. semver judges the others. */
export function isPlainVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Whether it is `1.2.3`, `~1.2.3` or `^1.2.3`, as nearly all ranges are. */
export function isPlainRange(text: string): boolean {
  return RANGE.test(text);
}

/** How semver orders two plain versions; undefined for others. */
export function comparePlainly(left: string, right: string): number | undefined {
  const [, ...ours] = VERSION.exec(left) ?? [];
  const [, ...others] = VERSION.exec(right) ?? [];
  if (ours.length === 0 || others.length === 0) return undefined;
  const at = ours.findIndex((part, index) => part !== others[index]);
  return at < 0 ? 0 : Math.sign(Number(ours[at]) - Number(others[at]));
}

/** What semver says about a plain version and a plain range, without loading it; undefined for others. */
export function satisfiesPlainly(version: string, range: string): boolean | undefined {
  const [, sign, ...least] = RANGE.exec(range) ?? [];
  const [, ...parts] = VERSION.exec(version) ?? [];
  if (sign === undefined || parts.length === 0) return undefined;
  // How many parts must be the same as in the range: for `^`, those up to the first that isn't zero.
  const firstNumber = least.findIndex((part) => part !== "0");
  const fixed = sign === "" ? 3 : sign === "~" ? 2 : firstNumber < 0 ? 3 : firstNumber + 1;
  const at = parts.findIndex((part, index) => part !== least[index]);
  return at < 0 || (at >= fixed && Number(parts[at]) > Number(least[at]));
}
