import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** Shells that some system has as its /bin/sh, by name, with their programs if they are installed here. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  bash: ["/bin/bash", "/usr/bin/bash"],
  busybox: ["/bin/busybox", "/usr/bin/busybox"],
  dash: ["/bin/dash", "/usr/bin/dash"],
  ksh: ["/bin/ksh93", "/usr/bin/ksh93", "/bin/ksh", "/usr/bin/ksh"],
  mksh: ["/bin/mksh", "/usr/bin/mksh"],
  yash: ["/bin/yash", "/usr/bin/yash"],
  zsh: ["/bin/zsh", "/usr/bin/zsh"],
};

export interface SystemShell {
  name: string;
  /** Undefined: it is not installed. */
  program: string | undefined;
}

/** A place is a shell of another name where it leads to that one's program: Debian's mksh calls itself ksh, too. */
export const SYSTEM_SHELLS: readonly SystemShell[] = Object.entries(PROGRAMS).map(([name, places]) => ({
  name,
  program: places.find((place) => fs.existsSync(place) && !isOther(name, fs.realpathSync(place))),
}));

/** Shells of agents, each program once. */
export const AGENT_SHELLS: readonly string[] = [
  ...new Set(
    ["/bin/bash", "/bin/zsh", "/usr/bin/zsh"]
      .filter((place) => fs.existsSync(place))
      .map((place) => fs.realpathSync(place)),
  ),
];

/** How a command line begins so that it finds this program as /bin/sh; the command and its environment follow. */
export function withSh(program: string): string[] {
  return ["unshare", "-m", "/bin/sh", "-c", 'mount --bind "$0" /bin/sh && exec "$@"', program];
}

/** Why this shell cannot be the system's here; undefined: it can. */
export function whyNotSh({ name, program }: SystemShell): string | undefined {
  if (program === undefined) return `${name} is not installed`;
  const [unshare = "", ...args] = withSh(program);
  const { status } = spawnSync(unshare, [...args, "/bin/sh", "-c", "exit 7"]);
  return status === 7 ? undefined : "only root can put another shell in the place of /bin/sh, with unshare";
}

function isOther(name: string, program: string): boolean {
  return Object.keys(PROGRAMS).some((other) => other !== name && path.basename(program).startsWith(other));
}
