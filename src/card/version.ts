import Range from "semver/classes/range.js";
import compare from "semver/functions/compare.js";
import inc from "semver/functions/inc.js";
import major from "semver/functions/major.js";
import minor from "semver/functions/minor.js";
import prerelease from "semver/functions/prerelease.js";
import semverSatisfies from "semver/functions/satisfies.js";
import valid from "semver/functions/valid.js";
import subset from "semver/ranges/subset.js";
import validRange from "semver/ranges/valid.js";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";

/** A step between two versions; `none` if the second isn't later. */
export type Bump = "major" | "minor" | "patch" | "none";

const MAXIMUM_LENGTH = 256;

/** Strict semver: no `v`, spaces, leading zeros or build metadata, which semver ignores when it compares versions. */
export function parseVersion(text: string): string {
  if (isVersion(text)) return text;
  throw new Problem("DRWN_VERSION_INVALID", `\`${clean(text, 80)}\` isn't a version`, {
    details: ["expected: MAJOR.MINOR.PATCH with an optional -prerelease, as semver.org has it"],
  });
}

export function isVersion(text: string): boolean {
  // `valid` tidies what it accepts: a text that needs tidying isn't a version.
  return isPlainVersion(text) || (text.length <= MAXIMUM_LENGTH && valid(text) === text);
}

export function parseRange(text: string): string {
  if (isRange(text)) return text;
  throw new Problem("DRWN_RANGE_INVALID", `\`${clean(text, 80)}\` isn't a semver range`, {
    details: ["expected: a range like ^1.2.0, ~1.2.0, 1.x or 1.2.3"],
  });
}

export function isRange(text: string): boolean {
  if (isPlainRange(text)) return true;
  // With prereleases, semver counts on past the last number it can represent, and can't read such a range.
  const isReadable = (includePrerelease: boolean) => validRange(text, { includePrerelease }) !== null;
  return text.trim() !== "" && text.length <= MAXIMUM_LENGTH && isReadable(false) && isReadable(true);
}

/** How many major versions a consent may span, including that of the installed version. */
export const MOST_MAJORS = 10;

/**
 * Whether the range reaches further than a consent to `installed` may: because it has no upper end, like `*` and
 * `>=1.0.0`, or one so far away that no version will ever reach it. Each of its alternatives must end within ten
 * majors.
 */
export function isTooWide(range: string, installed: string): boolean {
  if (!isRange(range)) return true;
  const end = major(installed) + MOST_MAJORS;
  return !new Range(range, { includePrerelease: true }).set.every((alternative) =>
    alternative.some((bound) => endsBefore(bound, end)),
  );
}

type Bound = Range["set"][number][number];

/** Whether the bound excludes this major version and all higher ones. Prereleases of it don't count. */
function endsBefore({ operator, semver, value }: Bound, end: number): boolean {
  // Without a value the bound is `*`; a lower bound is no end.
  if (value === "" || operator === ">" || operator === ">=") return false;
  const isItsBeginning = semver.major === end && semver.minor === 0 && semver.patch === 0;
  return semver.major < end || (operator === "<" && isItsBeginning);
}

/**
 * A prerelease satisfies a range only if the range itself names a prerelease of the same version, or if the caller asks
 * for prereleases.
 */
export function satisfies(version: string, range: string, { prerelease: includePrerelease = false } = {}): boolean {
  const plainly = satisfiesPlainly(version, range);
  return plainly ?? (isRange(range) && semverSatisfies(version, range, { includePrerelease }));
}

export function compareVersions(left: string, right: string): number {
  return comparePlainly(left, right) ?? compare(left, right);
}

export function isPrerelease(version: string): boolean {
  return prerelease(version) !== null;
}

/** The part of the version that steps up. A prerelease counts as the version that it leads to. */
export function bumpBetween(from: string, to: string): Bump {
  if (compareVersions(from, to) >= 0) return "none";
  if (major(from) !== major(to)) return "major";
  return minor(from) === minor(to) ? "patch" : "minor";
}

export function nextVersion(version: string, bump: Exclude<Bump, "none">): string {
  const next = inc(version, bump);
  if (next === null) throw new Error(`no ${bump} version follows ${version}`);
  return next;
}

/** `1.2` of 1.2.3. */
export function minorOf(version: string): string {
  return `${major(version)}.${minor(version)}`;
}

/** Whether every version in a range is in the other, too. */
export function isRangeWithin(range: string, other: string): boolean {
  return subset(range, other);
}

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
function comparePlainly(left: string, right: string): number | undefined {
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
