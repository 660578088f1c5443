import type { Tree } from "../../support/cards.ts";
import type { CardParts } from "../../support/projects.ts";

/** A repository that wants something of ours to run or to be believed, as it lies in version control. */
export interface HostileProject {
  /** What it tries, as the end of "a repository …". */
  tries: string;
  /** Text of files; `CANARY` stands for a folder in which nothing may ever appear, `ROOT` for where it is cloned to. */
  files: Tree;
  /** Links: path to target. */
  links?: Readonly<Record<string, string>>;
  /** Cards that it carries in its vendor folder, locked as `drwn install --vendor` would. */
  vendored?: readonly CardParts[];
  /** Variables that a shell or an agent has loaded from it. */
  env?: Readonly<Record<string, string>>;
  /** What doctor says: a code, and text in its finding. */
  doctor: readonly [code: string, text: string];
}

/** A project that asks for nothing. */
export const PLAIN: Tree = {
  ".agents/drwn/config.json": '{ "version": 1, "cards": {} }\n',
  ".agents/drwn/card.lock": '{ "lockfileVersion": 1, "cards": [] }\n',
};

/** Text of a module that leaves a trace as soon as it is loaded. */
export const TELLTALE = 'require("node:fs").writeFileSync("CANARY/loaded", "");\n';

/** A shell command that leaves a trace. */
export const TOUCH = "touch CANARY/ran";
