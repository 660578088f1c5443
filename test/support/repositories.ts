import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { cardFilesWith, type Tree, temporaryFolder, writeTree } from "./cards.ts";

/** A real git repository. */
export interface Repository {
  folder: string;
  /** Replaces its content, commits, and returns the commit. */
  commit(files: Tree, tag?: string): string;
  /** Runs git in it. */
  git(...args: string[]): string;
}

export function emptyRepository(): Repository {
  const folder = temporaryFolder();
  const home = temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder, env: { ...IDENTITY, PATH: process.env["PATH"], HOME: home } }).toString();
  git("init", "--quiet", "--initial-branch=main");
  return {
    folder,
    git,
    commit: (files, tag) => {
      for (const name of fs.readdirSync(folder)) {
        if (name !== ".git") fs.rmSync(path.join(folder, name), { recursive: true });
      }
      writeTree(folder, files);
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "-m", "a card");
      if (tag !== undefined) git("tag", "--force", "-a", tag, "-m", tag);
      return git("rev-parse", "HEAD").trim();
    },
  };
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
};

/** The files that a card's author commits: all of them, including the index, without the generated package.json. */
export function committedFiles(parts: Parameters<typeof cardFilesWith>[0] = {}): Record<string, Buffer> {
  const files = Object.fromEntries(cardFilesWith(parts).files);
  delete files["package.json"];
  return files;
}
