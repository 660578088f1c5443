import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { satisfies } from "../card/version.ts";
import { ANSWERED } from "../contract/hook-status.ts";
import { packageFile } from "../kernel/package-file.ts";
import { isProgram } from "../kernel/program.ts";
import type { Change } from "../wiring/changes.ts";
import { LAUNCHER } from "./program.ts";

/** The Node that the launcher in place names, where that is all by which it differs from what `write` would make of it. */
export interface RecordedNode {
  node: string;
  /**
   * `gone`: the launcher starts `instead`, or blocks every call. `mute`: it ends without running a line of JavaScript, so that no hook
   * answers. `unfit`: what it starts isn't a Node that drwn supports.
   */
  state: "fit" | "gone" | "mute" | "unfit";
  instead: string | null;
}

/** Whoever has several Nodes has undone nothing. Undefined: the launcher differs in more. */
export function recordedNodeOf({ path: file, what, before, after, mode }: Change): RecordedNode | undefined {
  if (what !== LAUNCHER || before === null || after === null) return undefined;
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
/** Where the launcher looks for another one, unless it is root's. */
const PLACES_LINE = /^for other in (.+); do$/mu;
const SYSTEM_LINE = /^system='[^']/mu;

/** Each Node has its own word for the permissions, and the launcher tries the other one. */
function withoutNode(launcher: string): string {
  return launcher.replace(NODE_LINE, "node=").replaceAll("--experimental-permission", "--permission");
}

const PATIENCE_MS = 5000;

/** It is asked as the launcher starts it at every call, and for what it works out: a program can say a version and do nothing else. */
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
