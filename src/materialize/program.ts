import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { isSystemHome } from "../contract/system-home.ts";
import { packageFile } from "../kernel/package-file.ts";
import type { Runtime } from "../policy/event.ts";
import { type Change, planFile } from "../wiring/changes.ts";
import { renderLauncher } from "../wiring/launcher.ts";
import { isWarm } from "../wiring/waiting.ts";

interface Wanted {
  nodePath: string;
  /** The agents that wait for the hook. */
  runtimes: readonly Runtime[];
  /** It is for every user, wherever it is made. */
  isSystem?: boolean;
}

const LAUNCHER = "hook launcher";

/** The launcher and the hook processes, put below DRWN_HOME: an agent's session must outlive the folder drwn was installed in. */
export function planProgram(home: string, { nodePath, runtimes, isSystem = isSystemHome(home) }: Wanted): Change[] {
  const launcher = renderLauncher(fs.readFileSync(packageFile("templates/launcher.sh"), "utf8"), {
    nodePath,
    isSystem,
  });
  const programs = programsFor(home, runtimes).map((name) =>
    planFile({
      path: layout.hookProgram(home, name),
      after: fs.readFileSync(packageFile(`dist/runtime/${name}`)),
      what: "hook process",
      mode: 0o644,
    }),
  );
  const starter = planFile({
    path: layout.launcher(home),
    after: Buffer.from(launcher),
    what: LAUNCHER,
    mode: 0o755,
  });
  const warm = isWarm(home) ? planWarmProgram(home) : undefined;
  return [...programs, starter, warm].filter((change) => change !== undefined);
}

/** The part of the launcher that looks for a hook process that was started before the call. */
export function planWarmProgram(home: string): Change | undefined {
  const text = renderLauncher(fs.readFileSync(packageFile("templates/warm.sh"), "utf8"), {
    nodePath: process.execPath,
  });
  return planFile({ path: layout.warmProgram(home), after: Buffer.from(text), what: LAUNCHER, mode: 0o644 });
}

/**
 * The Node that the launcher in place starts, where that is all by which it differs from what `write` would make of it: whoever has
 * several of them has not undone anything. Undefined: it differs in more, or that Node is gone.
 */
export function otherNodeOf({ path: file, what, before, after, mode }: Change): string | undefined {
  if (what !== LAUNCHER || before === null || after === null) return undefined;
  const found = before.toString();
  const node = NODE_LINE.exec(found)?.[1]?.replaceAll("'\\''", "'");
  if (node === undefined || withoutNode(found) !== withoutNode(after.toString())) return undefined;
  return fs.existsSync(node) && (fs.statSync(file).mode & 0o777) === mode ? node : undefined;
}

const NODE_LINE = /^node='((?:[^'\n]|'\\'')+)'$/mu;

/** Each Node has its own word for the permissions, and the launcher tries the other one. */
function withoutNode(launcher: string): string {
  return launcher.replace(NODE_LINE, "node=").replaceAll("--experimental-permission", "--permission");
}

/** The one that answers everything, those of these agents, and those that other projects had put there: none is left behind. */
function programsFor(home: string, runtimes: readonly Runtime[]): string[] {
  const main = path.basename(layout.hook(home));
  const wanted = new Set<string>(runtimes.map((runtime) => `hook-${runtime}.cjs`));
  return fs
    .readdirSync(packageFile("dist/runtime"))
    .filter((name) => name === main || wanted.has(name) || (name.endsWith(".cjs") && isThere(home, name)));
}

function isThere(home: string, name: string): boolean {
  return fs.existsSync(layout.hookProgram(home, name));
}
