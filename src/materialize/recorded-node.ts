import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { satisfies } from "../card/version.ts";
import { ANSWERED } from "../contract/hook-status.ts";
import { packageFile } from "../kernel/package-file.ts";
import { isProgram } from "../kernel/program.ts";
import type { Change } from "../wiring/changes.ts";
import { whyOpen } from "./open-file.ts";
import { LAUNCHER } from "./program.ts";

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
