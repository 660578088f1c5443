import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { satisfies } from "../card/version.ts";
import { layout } from "../contract/layout.ts";
import { ANSWERED } from "../contract/protocol.ts";
import { isManagedHome } from "../contract/scopes.ts";
import { packageFile } from "../kernel/files.ts";
import { Problem } from "../kernel/problem.ts";
import { isProgram } from "../kernel/process.ts";
import { findNotOwnedByRoot, findNotOwnedByRootOrLinked, type NotOwnedByRoot } from "../kernel/root-ownership.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import { type Change, planFile } from "../wiring/changes.ts";
import { renderLauncher } from "../wiring/launcher.ts";

export const LAUNCHER = "hook launcher";

/** The launcher and the hook processes, below DRWN_HOME: a session must outlive the folder in which drwn is installed. */
export function planProgram(home: string, nodePath: string): Change[] {
  const launcher = renderLauncher(fs.readFileSync(packageFile("templates/launcher.sh"), "utf8"), {
    nodePath,
    isSystem: isManagedHome(home),
  });
  const programs = fs.readdirSync(packageFile("dist/runtime")).map((name) =>
    planOwn(home, {
      path: layout.hookProgram(home, name),
      after: fs.readFileSync(packageFile(`dist/runtime/${name}`)),
      what: "hook process",
      mode: 0o644,
    }),
  );
  const starter = planOwn(home, {
    path: layout.launcher(home),
    after: Buffer.from(launcher),
    what: LAUNCHER,
    mode: 0o755,
  });
  return [...programs, starter].filter((change) => change !== undefined);
}

/** A file that others can change is replaced, even if its bytes are right: whoever owns it could rewrite it later. */
function planOwn(home: string, file: Required<Parameters<typeof planFile>[0]>): Change | undefined {
  const change = planFile(file);
  if (change !== undefined || whyOpen(file.path, home) === undefined) return change;
  return { action: "update", before: file.after, ...file };
}

/** The Node that the installed launcher names, if the launcher differs from what `write` would make in nothing else. */
export interface RecordedNode {
  node: string;
  /**
   * `gone`: the launcher starts `instead`, or blocks every call. `mute`: it ends without running any JavaScript, so no
   * hook answers. `unfit`: the launcher starts something that isn't a Node that drwn supports.
   */
  state: "fit" | "gone" | "mute" | "unfit";
  instead: string | null;
}

/**
 * Using another of several Nodes is no fault. Undefined: the launcher differs in more, or others can change it, so that
 * nobody knows whose program it names.
 */
export function recordedNodeOf({ path: file, what, before, after, mode }: Change): RecordedNode | undefined {
  if (what !== LAUNCHER || before === null || after === null) return undefined;
  if (whyOpen(file, path.dirname(path.dirname(file))) !== undefined) return undefined;
  const found = before.toString();
  const node = NODE_LINE.exec(found)?.[1]?.replaceAll("'\\''", "'");
  if (node === undefined || withoutNode(found) !== withoutNode(after.toString())) return undefined;
  if ((fs.statSync(file).mode & 0o777) !== mode) return undefined;
  if (isProgram(node)) return { node, state: askNode(node), instead: null };
  const places = SYSTEM_LINE.test(found) ? [] : (PLACES_LINE.exec(found)?.[1]?.split(" ") ?? []);
  const instead = places.find(isProgram) ?? null;
  const state = instead === null ? "fit" : askNode(instead);
  return { node, state: state === "fit" ? "gone" : state, instead };
}

const NODE_LINE = /^node='((?:[^'\n]|'\\'')+)'$/mu;
/** Where the launcher looks for another Node, unless it is root's. */
const PLACES_LINE = /^for other in (.+); do$/mu;
const SYSTEM_LINE = /^system='[^']/mu;

/** The flag for permissions depends on the Node's version, and the launcher also tries the other name. */
function withoutNode(launcher: string): string {
  return launcher.replace(NODE_LINE, "node=").replaceAll("--experimental-permission", "--permission");
}

const PATIENCE_MS = 5000;

/** Starts it as the launcher does at every call, and makes it run JavaScript: some programs only print a version. */
function askNode(node: string): "fit" | "mute" | "unfit" {
  const asked = ["-p", "process.versions.node"];
  const { stdout, status } = spawnSync(node, asked, { encoding: "utf8", env: {}, timeout: PATIENCE_MS });
  const version = /^(\d+\.\d+\.\d+)\s*$/u.exec(stdout ?? "")?.[1];
  if (version !== undefined) return satisfies(version, supportedNodes()) ? "fit" : "unfit";
  return status === null || status === ANSWERED ? "unfit" : "mute";
}

function supportedNodes(): string {
  const { engines } = JSON.parse(fs.readFileSync(packageFile("package.json"), "utf8")) as { engines: { node: string } };
  return engines.node;
}

/** Refuses a file of root's that others could replace, or that is behind a link. */
export function requireRootOwnedFile(file: string): void {
  const found = findNotOwnedByRootOrLinked(file);
  if (found !== null)
    throw unsafe(found, `root's own settings belong in ${file}`, `see whose ${shellQuote(found.file)} is, and fix it`);
}

/** Refuses a Node that a user could replace: it decides every call. */
export function requireRootOwnedNode(node: string): void {
  const found = findNotOwnedByRoot(node);
  if (found === null) return;
  const hint =
    "install Node as root, as your system's packages do, then: sudo drwn write --system --node /usr/bin/node";
  throw unsafe(found, `the hook would be started with ${clean(node, 1000)}`, hint);
}

/** Refuses to copy drwn's programs if a user could have changed them. */
export function requireRootOwnedPackage(): void {
  const found = findNotOwnedByRoot(packageFile("dist/runtime/hook.cjs"));
  if (found === null) return;
  throw unsafe(
    found,
    "drwn's own programs would be copied from there",
    "install drwn as root, into a folder of root's, and run that one",
  );
}

function unsafe({ file, fault }: NotOwnedByRoot, detail: string, hint: string): Problem {
  return new Problem("DRWN_MANAGED_UNSAFE", `${clean(file, 1000)} ${fault}`, { details: [detail], hint });
}

/**
 * What lets another user of this machine change a file or folder of drwn's home; undefined: nothing. Root's files are as
 * good as one's own. Many systems give files to a group of the user's own: that is no fault.
 */
export function whyOpen(file: string, home: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  // A person may keep drwn's home elsewhere and link to it. drwn makes no link in the place of a program.
  if (stat.isSymbolicLink()) return isProgramOf(home, file) ? "leads to what may be another user's" : undefined;
  const owner = isManagedHome(home) ? 0 : (process.getuid?.() ?? stat.uid);
  if (stat.uid !== 0 && stat.uid !== owner) return `belongs to another user (${stat.uid})`;
  const isOpen = (stat.mode & 0o002) !== 0 || ((stat.mode & 0o020) !== 0 && stat.gid !== (ownGroup() ?? stat.gid));
  return isOpen ? "can be changed by other users" : undefined;
}

/** A shell that `newgrp` started has another group. */
function ownGroup(): number | undefined {
  try {
    return os.userInfo().gid;
  } catch {
    // A container may run as a user whom its list of users doesn't have.
    return process.getgid?.();
  }
}

function isProgramOf(home: string, file: string): boolean {
  return path.dirname(file) === path.dirname(layout.launcher(home));
}
