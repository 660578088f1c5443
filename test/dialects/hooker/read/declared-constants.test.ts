import { describe, expect, test } from "vitest";
import { RUBY_CONSTANTS } from "../../../../src/dialects/hooker/read/declared.ts";
import { compilePattern } from "../../../../src/dialects/hooker/read/pattern.ts";
import { askRuby, HAS_RUBY } from "../ruby.ts";

/** What hooker itself finds in a command, its misses and its false alarms included. */
const COMMANDS: Readonly<Record<string, { matches: string[]; not: string[] }>> = {
  git_commit: {
    matches: [
      "git commit",
      "git commit -m x",
      "git -C /a commit",
      "cd /x && git commit",
      'echo "git commit"',
      "git commit-tree x",
    ],
    not: ["git log --grep commit", "git commits", "gitcommit", "git -C dir commit", "g it commit"],
  },
  git_push: {
    matches: [
      "git push",
      "git --no-pager push origin",
      "git -c user.name=x push",
      "xgit push; git push",
      "git\tpush",
      "git\npush",
    ],
    not: ["git pushed", "git remote push", "git add push.txt && git pull"],
  },
  git_reset: {
    matches: ["git reset --hard", "git -C ../a reset", "git  reset"],
    not: ['git commit -m "reset things"', "git config reset"],
  },
  git_rebase: { matches: ["git rebase -i HEAD~3", "git -c a.b=c rebase"], not: ["git pull --rebase", "git rebased"] },
  git_checkout: {
    matches: ["git checkout main", "git --git-dir=/a checkout x"],
    not: ["checkout", "git log checkout"],
  },
  git_switch: { matches: ["git switch -c x", "git ./-. switch"], not: ["git switches", "switch git"] },
  git_merge: { matches: ["git merge x", "git merge-base a b"], not: ["git mergetool", "git log merge"] },
  git_stash: { matches: ["git stash", "git stash pop"], not: ["git stashed", "git show stash"] },
  git_restore: { matches: ["git restore .", "git -C /a restore x"], not: ["git restored", "restore"] },
  git_push_force: {
    matches: [
      "git push --force",
      "git push -f",
      "git push origin main --force",
      "git push --force-with-lease",
      "git push --force-if-includes",
      "git push origin +main",
      "git -C /a push -f origin",
      "git push origin main && rm -f x",
      'echo "git push -f"',
      "git push origin fix-f",
    ],
    not: [
      "git push",
      "git push -fu",
      "git push --mirror",
      "git push -uf origin",
      "git push \\\n --force",
      "git push\nls -f",
      "git -C dir push --force",
      "git fetch --force",
      "git push + main",
    ],
  },
};

const rows = Object.entries(COMMANDS).flatMap(([name, { matches, not }]) => [
  ...matches.map((command) => ({ name, command, isMatch: true })),
  ...not.map((command) => ({ name, command, isMatch: false })),
]);

describe("a match constant in a policies.rb looks at text, as hooker does", () => {
  test.each(rows)("$name, $command: $isMatch", ({ name, command, isMatch }) => {
    const pattern = compilePattern(RUBY_CONSTANTS.get(name) ?? "(");
    expect("source" in pattern && new RegExp(pattern.source, pattern.flags).test(command)).toBe(isMatch);
  });

  test.skipIf(!HAS_RUBY)("and Ruby says the same of every one of them (skipped where there is no `ruby`)", () => {
    const names = [...RUBY_CONSTANTS.keys()];
    const said = askRuby({
      patterns: names.map((name) => RUBY_CONSTANTS.get(name) ?? ""),
      subjects: rows.map(({ command }) => command),
    });
    expect(rows.map(({ name }, at) => Boolean(said[names.indexOf(name)]?.[at]))).toEqual(
      rows.map(({ isMatch }) => isMatch),
    );
  });
});
