import fc from "fast-check";
import semver from "semver";
import { describe, expect, test } from "vitest";
import {
  bumpBetween,
  compareVersions,
  isPlainRange,
  isPlainVersion,
  isTooWide,
  nextVersion,
  parseRange,
  parseVersion,
  satisfies,
  satisfiesPlainly,
} from "../../src/card/version.ts";
import { problemOf } from "../support/problems.ts";

const versions = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)).map((parts) => parts.join("."));

describe("a version", () => {
  test.each([
    "",
    "1",
    "1.0",
    "v1.0.0",
    " 1.0.0",
    "1.0.0 ",
    "01.0.0",
    "1.0.0-01",
    "1.0.0+build",
    "1.0.0-a+b",
    "1.0.0\n",
    "=1.0.0",
    "1.x.0",
    `1.0.0-${"a".repeat(300)}`,
    "99999999999999999999.0.0",
    "../1.0.0",
  ])("%j is refused", async (text) => {
    expect((await problemOf(() => parseVersion(text))).code).toBe("DRWN_VERSION_INVALID");
  });

  test("releases and prereleases are taken as they are", () => {
    const prereleases = fc.tuple(versions, fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/u)).map((parts) => parts.join("-"));
    fc.assert(
      fc.property(fc.oneof(versions, prereleases), (text) => {
        expect(parseVersion(text)).toBe(text);
      }),
    );
  });
});

describe("a range", () => {
  test.each([
    ...["", "  ", "latest", "^", ">", "a.b.c", `^1.0.0 ${"|| 1.0.0".repeat(100)}`],
    ...["1 - 2.0.9007199254740991", "^1.0.0 || 1.0.0 - 1.9.9007199254740991"],
  ])("%j is refused, and too wide for consent", async (text) => {
    expect((await problemOf(() => parseRange(text))).code).toBe("DRWN_RANGE_INVALID");
    expect(isTooWide(text, "1.0.0")).toBe(true);
  });

  test.each([
    ...["", "*", "x", "X", "latest", ">=0", ">=1.2.3", ">0.0.0", "^1.0.0 || *", "1 || >=2", "<1 || >5", "!!"],
    ...[
      ">=0.0.0-0",
      "*-0",
      ">=1.0.0-0",
      "x.x.x",
      "^*",
      "~x",
      ">=*",
      "<=*",
      "* || ^1.0.0",
      "^1.0.0 ||",
      "|| 1",
      "1.0.0 - *",
    ],
    ...[">=1.0.0 <9007199254740991.0.0", "<9007199254740991", "<=9007199254740990.x", "1.0.0 - 9007199254740991.0.0"],
    ...[
      ">=1.0.0 <1000.0.0",
      "<12.0.0",
      "<=11",
      "<=11.0.0",
      "<11.0.1-0",
      "^11.0.0-alpha || ^1.0.0",
      "=11.0.0 || ^1.0.0",
    ],
    ...[
      "<2 || <9007199254740991.9007199254740991.9007199254740991",
      ">=1.0.0 >=2.0.0 || ^1.0.0",
      "~9007199254740990.1 || 1",
    ],
    ...["<11.0.1", "<11.1.0-0", "^1.0.0 || 12.0.0-rc.1", `^1.0.0${" || ^1.0.0".repeat(20)} || >1.0.0`],
  ])("%j has no end near 1.0.0, so it is too wide for consent", (range) => {
    expect(isTooWide(range, "1.0.0")).toBe(true);
  });

  test.each([
    ...["1.2.3", "^1.0.0", "~1.2", "1.x", "1 || 2", ">=1 <2", "^0.1.0", "<=3.0.0", "1.0.0-beta.1"],
    ...["<11.0.0", "<11.0.0-0", "<=10", "1 - 10", ">=1.0.0-0 <2.0.0", "10.999.999", "<99.0.0 <3.0.0", ">*"],
    ...["0.x", "<1.9007199254740991.0", "^10.0.0 || ^1.0.0"],
  ])("%j is fit for consent to 1.0.0", (range) => {
    expect(isTooWide(range, "1.0.0")).toBe(false);
  });

  test("how far a consent may reach is counted from the installed version", () => {
    expect([isTooWide("<12.0.0", "2.0.0"), isTooWide("<12.0.0", "1.9.9")]).toEqual([false, true]);
    expect(isTooWide("^90.0.0", "90.1.0-rc.1")).toBe(false);
  });

  test("what is fit contains no version of the eleventh major and above, however it is spelled", () => {
    const number = fc.oneof(fc.nat(13), fc.constantFrom(99, 9_007_199_254_740_990, Number.MAX_SAFE_INTEGER));
    const bound = fc
      .tuple(
        fc.constantFrom("", "^", "~", "<", "<=", ">", ">=", "="),
        number,
        number,
        number,
        fc.constantFrom("", "-0", "-a"),
      )
      .map(([sign, major, minor, patch, tag]) => `${sign}${major}.${minor}.${patch}${tag}`);
    const alternative = fc.oneof(
      fc.array(bound, { minLength: 1, maxLength: 3 }).map((bounds) => bounds.join(" ")),
      fc.tuple(number, number).map(([from, to]) => `${from} - ${to}`),
      fc.tuple(number, number, number, number).map(([from, ...to]) => `${from} - ${to.join(".")}`),
      fc.constantFrom("*", "1.x", "x", "11.x"),
    );
    const ranges = fc.array(alternative, { minLength: 1, maxLength: 3 }).map((all) => all.join(" || "));
    const far = [
      "11.0.0",
      "11.0.1",
      "12.0.0-a",
      "13.13.13",
      "99.99.99",
      "9007199254740990.0.0",
      "9007199254740991.1.1",
    ];
    fc.assert(
      fc.property(ranges, (range) => {
        if (isTooWide(range, "1.0.0")) return;
        for (const version of far)
          expect([version, satisfies(version, range, { prerelease: true })]).toEqual([version, false]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a prerelease is in it only where it names one of the same version", () => {
    expect(satisfies("1.0.1-evil.1", "^1.0.0")).toBe(false);
    expect(satisfies("2.0.0-beta.1", "<3")).toBe(false);
    expect(satisfies("1.0.1-beta.2", "^1.0.1-beta.1")).toBe(true);
    expect(satisfies("1.0.2-beta.2", "^1.0.1-beta.1")).toBe(false);
  });

  test("what is no range contains nothing", () => {
    expect(satisfies("1.0.0", "")).toBe(false);
    expect(satisfies("1.0.0", "latest")).toBe(false);
  });
});

describe("a step between versions", () => {
  test.each([
    ["1.0.0", "2.0.0", "major"],
    ["1.9.9", "2.0.0-beta.1", "major"],
    ["1.0.0", "1.1.0", "minor"],
    ["1.0.0", "1.0.1", "patch"],
    ["1.0.0-beta.1", "1.0.0", "patch"],
    ["1.0.0", "1.0.0", "none"],
    ["1.0.1", "1.0.0", "none"],
  ] as const)("from %s to %s is %s", (from, to, bump) => {
    expect(bumpBetween(from, to)).toBe(bump);
  });

  test("the next version is higher by exactly the step that was asked for", () => {
    fc.assert(
      fc.property(versions, fc.constantFrom("major", "minor", "patch"), (version, bump) => {
        const next = nextVersion(version, bump);
        expect(compareVersions(version, next)).toBeLessThan(0);
        expect(bumpBetween(version, next)).toBe(bump);
      }),
    );
  });
});

describe("plain versions and ranges, which semver is not loaded for", () => {
  const number = fc.oneof(
    fc.nat(2),
    fc.nat(2),
    fc.constantFrom("01", "x", "", "999999999", "1000000000", "99999999999999999"),
  );
  const text = fc.tuple(number, number, number).map((parts) => parts.join("."));
  const sign = fc.constantFrom("", "^", "~", "=", ">=", " ", "^~", "v");
  const end = fc.constantFrom("", "", "", "-1", "-a.b", "+b", " ", "\n", ".0");
  const odd = fc.tuple(sign, text, end).map((parts) => parts.join(""));

  test("are those that semver takes, and are judged as it judges them", () => {
    fc.assert(
      fc.property(odd, odd, fc.boolean(), (version, range, includePrerelease) => {
        if (isPlainVersion(version)) expect(semver.valid(version)).toBe(version);
        if (isPlainRange(range)) expect(semver.validRange(range)).not.toBe(null);
        const judged = satisfiesPlainly(version, range);
        const isPlain = isPlainVersion(version) && isPlainRange(range);
        expect(judged).toBe(isPlain ? semver.satisfies(version, range, { includePrerelease }) : undefined);
      }),
      { numRuns: 2000 },
    );
  });

  test("are judged as semver judges them for every small number", () => {
    const numbers = [0, 1, 2];
    const all = numbers.flatMap((a) => numbers.flatMap((b) => numbers.map((c) => `${a}.${b}.${c}`)));
    const pairs = all.flatMap((version) =>
      all.flatMap((least) => ["", "^", "~"].map((sign) => [version, sign + least])),
    );
    for (const [version = "", range = ""] of pairs)
      expect([version, range, satisfiesPlainly(version, range)]).toEqual([
        version,
        range,
        semver.satisfies(version, range),
      ]);
  });
});
