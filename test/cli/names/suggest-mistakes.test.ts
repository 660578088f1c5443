import { spawnSync } from "node:child_process";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distance, isNear } from "../../../src/kernel/text.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { newProject } from "../../support/projects.ts";
import { sweep } from "../../support/sweep.ts";

const BIN = path.resolve(import.meta.dirname, "../../../bin/drwn.js");

function drwn(words: readonly string[], env: Record<string, string> = {}) {
  const home = temporaryFolder();
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...words], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const MISTAKES: [typed: string, message: string, hint: string][] = [
  ["statsu", "drwn has no command `statsu`", "drwn status"],
  ["trsut", "drwn has no command `trsut`", "drwn trust"],
  ["card trsut @me/x --hooks", "drwn has no command `card trsut`", "drwn card trust @me/x --hooks"],
  ["crad shwo @me/x", "drwn has no command `crad shwo`", "drwn card show @me/x"],
  ["card sorce ad-hook @me/x y", "drwn has no command `card sorce ad-hook`", "drwn card source add-hook @me/x y"],
  ["card sorce", "drwn has no command `card sorce`", "drwn card source"],
  ["untrust @me/x", "drwn has no command `untrust`", "drwn card untrust @me/x"],
  ["rm @me/x", "drwn has no command `rm`", "drwn remove @me/x"],
  ["card source list @me/x", "drwn has no command `card source list`", "drwn card source --help"],
  ["key show", "drwn has no command `key show`", "drwn key --help"],
  ["uninstall @me/x", "`drwn uninstall` takes no argument `@me/x`", "drwn remove @me/x"],
  ["trust --list @me/x nope", "`drwn trust` takes no argument `nope`", "drwn trust --help"],
  ["publish .", "drwn has no command `publish`", "drwn card publish ."],
  ["card publish . --version minor", "`drwn card publish` has no flag --version", "drwn card publish --help"],
  ["hook explain ls", "drwn has no command `hook explain`", "drwn explain ls"],
  ["vendor", "drwn has no command `vendor`", "drwn install --vendor"],
  ["card add-hook @me/x g", "drwn has no command `card add-hook`", "drwn card source add-hook @me/x g"],
  ["trust acept", "drwn has no command `trust acept`", "drwn trust accept"],
  ["help intsall", "drwn has no command `intsall`", "drwn install --help"],
  ["card trsut @me/x --hoks", "drwn has no command `card trsut`", "drwn card trust @me/x --hooks"],
  ["add @me/x --tust", "`drwn add` has no flag --tust", "drwn add @me/x --trust"],
  ["install --forzen", "`drwn install` has no flag --forzen", "drwn install --frozen"],
  ["log --verdict=dney", "Expected --verdict=dney to be one of: allow, ask, deny", "drwn log --verdict=deny"],
  ["log --verdict dney", "Expected --verdict=dney to be one of: allow, ask, deny", "drwn log --verdict deny"],
  ["log --verdict denied", "Expected --verdict=denied to be one of: allow, ask, deny", "drwn log --verdict deny"],
  ["install @drwn/git", "`drwn install` takes no argument `@drwn/git`", "drwn add @drwn/git"],
  ["completion bsh", "name one shell: bash, zsh, fish", "drwn completion --help"],
  ["pause", "`drwn pause` needs --end or --minutes", "drwn pause --help"],
  ["uninstall --yes", "`drwn uninstall` has no flag --yes", "drwn uninstall --help"],
  ["init here", "`drwn init` takes no argument `here`", "drwn init --help"],
  ["log check", "`drwn log` takes no argument `check`", "drwn log --check"],
  ["add @me/x --yes", "--yes goes only with --trust", "drwn add --help"],
  ["doctor --strict --hooker", "--strict and --hooker exclude each other", "drwn doctor --help"],
  ["pause --minutes soon", "--minutes needs a whole number, not `soon`", "drwn pause --help"],
  ["log --since", "--since needs a value", "drwn log --help"],
  ["explain", "expected a command in quotes, or --tool, --on or --event", "drwn explain --help"],
  ["install --everything", "`drwn install` has no flag --everything", "drwn install --help"],
  ["enable", "drwn has no command `enable`", "drwn trust"],
  ["disable", "drwn has no command `disable`", "drwn pause --minutes 30"],
  ["undo @me/x", "drwn has no command `undo`", "drwn card untrust @me/x"],
  ["juggle", "drwn has no command `juggle`", "drwn --help"],
  ["--versoin", "drwn has no command `--versoin`", "drwn --version"],
  ["--jason", "drwn has no command `--jason`", "drwn --help"],
];

describe("a mistake in the command line", () => {
  test.each(sweep(MISTAKES, 12))("`drwn %s` ends with 2, and the hint is what was meant", (typed, message, hint) => {
    const { status, stdout, stderr } = drwn(typed.split(" "));
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(`error: ${message}\n\nhint: ${hint}\n`);
  });

  const chosen = MISTAKES.filter(([typed]) => !typed.startsWith("help") && !typed.includes("--jason"));
  test.each(chosen.filter((_, at) => at % 3 === 0))(
    "`drwn %s --json` says the same in one document",
    (typed, message, hint) => {
      const { status, stdout, stderr } = drwn([...typed.split(" "), "--json"]);
      expect(JSON.parse(stdout)).toEqual({
        error: { code: "DRWN_USAGE", message, details: [], hint: expect.stringContaining(hint) },
      });
      expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
    },
  );

  test.each([["card", "trust", "--all", "@me/x"], ["card", "diff"], ["pause"], ["add", "-y"], ["trsut"]])(
    "drwn %s %s prints no escaped colour, and with --json none at all",
    (...words) => {
      const coloured = drwn(words.filter(Boolean), { FORCE_COLOR: "1" });
      expect(coloured.stderr).toMatch(/^\u001b\[31merror:\u001b\[39m /u);
      expect(coloured.stderr.replace(/\u001b\[\d+m/gu, "")).not.toMatch(/\\u|\u001b/u);
      const json = drwn([...words.filter(Boolean), "--json"], { FORCE_COLOR: "1" });
      expect(json.stdout).not.toMatch(/\\u|\u001b/u);
      expect(JSON.parse(json.stdout).error.code).toBe("DRWN_USAGE");
    },
  );

  test("is quoted where a shell would read it otherwise, and cleaned", () => {
    expect(drwn(["card", "trsut", "$(touch x)"]).stderr).toContain("hint: drwn card trust '$(touch x)'\n");
    expect(drwn(["\u001b]0;x\u0007"]).stderr).toContain("`\\u{1b}]0;x\\u{7}`");
  });
});

describe("how far two words are apart", () => {
  const words = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom("a", "b", "c") });

  test("is nothing for one word, and the same both ways", () => {
    fc.assert(
      fc.property(words, words, (left, right) => {
        expect(distance(left, left)).toBe(0);
        expect(distance(left, right)).toBe(distance(right, left));
      }),
    );
  });

  test("is one slip for a letter that is missing, added, another one, or changed places with its neighbour", () => {
    fc.assert(
      fc.property(words, fc.nat(), (word, seed) => {
        const at = seed % word.length;
        const [before, letter, after] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)];
        const slips = [`${before}${after}`, `${before}x${letter}${after}`, `${before}x${after}`];
        for (const slip of slips) expect(distance(slip, word)).toBe(1);
        const swapped = `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`;
        expect(distance(swapped, word)).toBeLessThanOrEqual(1);
        if (slips[1] !== undefined) expect(isNear(slips[1], word)).toBe(true);
      }),
    );
  });
});

const MISTYPED_NAMES: [typed: string, hint: string][] = [
  ["add @Drwn/Git@^1.0.0", "drwn add @drwn/git@^1.0.0"],
  ["add git", "drwn add @drwn/git"],
  ["add drwn/git --trust", "drwn add @drwn/git --trust"],
  ["add nothing-like-it", "drwn search nothing-like-it"],
  ["card trust git --hooks", "drwn card trust @drwn/git --hooks"],
  ["card new @Me/Backend", "drwn card new @me/backend"],
];

test.each(MISTYPED_NAMES)("a card's name is mistyped in `drwn %s`: the hint is %s", async (typed, hint) => {
  const project = newProject();
  const { stderr } = spawnSync(process.execPath, [BIN, ...typed.split(" ")], {
    cwd: project.cwd,
    env: { PATH: process.env["PATH"] ?? "", ...project.env },
    encoding: "utf8",
  });
  expect(stderr).toContain(`hint: ${hint}\n`);
});

test("each of several values that a comma divides gets a flag of its own", () => {
  const { stderr } = drwn(["write", "--runtime", "claude,codex"]);
  expect(stderr).toContain("hint: drwn write --runtime claude-code --runtime codex\n");
});
