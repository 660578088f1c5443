import type { ConstantName } from "../../src/helpers/match-constants.ts";
import { FORCED_PUSHES } from "./forced-pushes.ts";
import { NO_FORCED_PUSHES } from "./no-forced-pushes.ts";

/** What each constant has to say of a shell text. */
export const COMMANDS: Readonly<Record<ConstantName, { meant: string[]; others: string[] }>> = {
  git_push_force: { meant: FORCED_PUSHES, others: NO_FORCED_PUSHES },
  git_commit: {
    meant: [
      "git commit",
      'git commit -m "fix"',
      "git -C /path commit -m x",
      "git -C dir commit",
      "git -c user.name=x commit",
      'git -c "user.name=A B" commit --amend',
      "git commit --amend --no-edit",
      "git add . && git commit -m x",
      "git commit -m \"$(cat <<'EOF'\nfeat: it's (done\n\nEOF\n)\"",
      'bash -c "git commit -m x"',
      "env GIT_AUTHOR_DATE=x git commit",
      "GIT_EDITOR=true git commit",
    ],
    others: [
      "git commit-tree HEAD^{tree}",
      "git commit-graph write",
      "git log commit",
      "git show commit",
      'git log --grep "git commit"',
      "git config commit.gpgsign true",
      "git config --get-all commit",
      "echo git commit",
      "git push origin commit",
      "git -C commit status",
      "git notes add -m commit",
      "make commit",
    ],
  },
  git_push: {
    meant: [
      "git push",
      "git push origin main",
      "git -C /path push",
      "git push --force",
      "git commit -m x; git push",
      "git push --dry-run",
      "(cd a; git push)",
    ],
    others: [
      "git pull",
      "git stash push",
      "git log push",
      "git remote -v",
      "git config push.default simple",
      "npm run push",
      "echo 'git push'",
      "git commit -m push",
      "git commit -m 'then git push'",
      "git checkout push",
    ],
  },
  git_reset: {
    meant: [
      "git reset",
      "git reset --hard HEAD~1",
      "git -C dir reset --hard",
      "git -c x.y=z reset --soft",
      "cd x && git reset --hard origin/main",
      "git --work-tree=. reset",
    ],
    others: [
      'git commit -m "reset things"',
      "git commit -m 'git reset'",
      "git checkout reset",
      "git log --grep reset",
      "git rebase --reset-author-date",
      "git commit --reset-author",
      "reset",
      "git branch reset",
    ],
  },
  git_rebase: {
    meant: [
      "git rebase main",
      "git rebase -i HEAD~3",
      "git -C d rebase --abort",
      "git fetch && git rebase origin/main",
    ],
    others: [
      "git pull --rebase",
      "git config pull.rebase true",
      "git log rebase",
      "git commit -m rebase",
      "git checkout rebase",
      "git merge-base a b",
    ],
  },
  git_checkout: {
    meant: [
      "git checkout main",
      "git checkout -b x",
      "git checkout -- .",
      "git -C d checkout HEAD~1 -- f",
      "git checkout .",
    ],
    others: [
      "git checkout-index -a",
      "git switch checkout",
      "git log checkout",
      "svn checkout x",
      "git worktree add checkout",
    ],
  },
  git_switch: {
    meant: ["git switch main", "git switch -c x", "git -C d switch -", "if x; then git switch main; fi"],
    others: ["git checkout switch", "git branch switch", "switch main", "git commit -m switch", "echo git switch"],
  },
  git_merge: {
    meant: ["git merge dev", "git merge --no-ff dev", "git -C d merge --abort", "git fetch; git merge FETCH_HEAD"],
    others: [
      "git merge-base main dev",
      "git merge-file a b c",
      "git mergetool",
      "git log --merges",
      "git branch --merged",
      "gh pr merge 1",
      "git commit -m merge",
    ],
  },
  git_stash: {
    meant: ["git stash", "git stash push -m x", "git stash pop", "git -C d stash list", "git pull || git stash"],
    others: [
      "git log stash",
      "git show stash@{0}",
      "git checkout stash",
      "git commit -m stash",
      "git config stash.x 1",
    ],
  },
  git_restore: {
    meant: ["git restore .", "git restore --staged f", "git -C d restore f", "git -c a.b=c restore f"],
    others: ["git checkout restore", "npm restore", "git commit -m restore", "git log -- restore", "dotnet restore"],
  },
};
