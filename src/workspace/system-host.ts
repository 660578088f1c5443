import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { SYSTEM_HOMES } from "../contract/system-home.ts";
import { AGENT_MARKERS } from "../kernel/agent-session.ts";
import { lstatIfThere, shareBelow } from "../kernel/atomic.ts";
import { type Environment, type Host, keepOnly } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { findNotRootsOwn, findNotRootsWithin, type NotRoots } from "../kernel/roots-own.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import { requireInside } from "../wiring/place.ts";

interface SystemRequest {
  /** It changes nothing. */
  isReader: boolean;
  /** The command as root would type it. */
  command: string;
  /** The Node that the hook is to be started with; undefined: the one that it was. */
  node: string | undefined;
}

/**
 * The machine as root has it for every user: neither a home, nor a variable, nor a folder of a user's decides anything. Refused where
 * others than root could change what lies there, and where root is needed and somebody else asks.
 */
export function systemHost(host: Host, { isReader, command, node }: SystemRequest): Host {
  const home = SYSTEM_HOMES[process.platform];
  if (home === undefined) throw noPlace();
  if (!isReader && process.getuid?.() !== 0) {
    throw new Problem("DRWN_ROOT_NEEDED", `only root changes what holds for every user, in ${home}`, {
      hint: `sudo ${command}`,
    });
  }
  refuse(home, findNotRootsOwn(home) ?? findNotRootsWithin(home));
  const env = ownEnvironment(host.env, home);
  keepOnly(env);
  process.umask(0o022);
  shareBelow(home);
  if (!isReader) for (const folder of [home, layout.ledgers(home), layout.store(home)]) openToAll(folder);
  return {
    ...host,
    isAtTerminal: host.isAtTerminal === true,
    scope: "system",
    home,
    drwnHome: home,
    notes: path.join(homeOfCaller(host), ".agents", "drwn", "system"),
    env,
    nodePath: node ?? recordedNode(home) ?? host.nodePath,
  };
}

interface ImageRequest {
  /** As it was typed. */
  folder: string;
  node: string | undefined;
}

/**
 * The same for the machines that take what is made below the folder for their root: nothing of this machine's own floor is read or
 * changed, and it needs no root. Whose command it is decides where cards come from, as in a project.
 */
export function imageHost(host: Host, { folder: typed, node }: ImageRequest): Host {
  const place = SYSTEM_HOMES[process.platform];
  if (place === undefined) throw noPlace();
  const asked = path.resolve(host.cwd, typed);
  fs.mkdirSync(asked, { recursive: true });
  const folder = fs.realpathSync(asked);
  if (folder === "/") {
    throw new Problem("DRWN_IMAGE_INVALID", `${clean(typed, 1000)} is this machine itself`, {
      hint: "give the command without --print, as root, or name another folder",
    });
  }
  if (node !== undefined && !path.isAbsolute(node)) {
    throw new Problem("DRWN_IMAGE_INVALID", `${clean(node, 1000)} isn't the whole path of a Node`, {
      hint: "drwn write --node /usr/bin/node",
    });
  }
  const home = `${folder}${place}`;
  requireInside({ root: folder, file: layout.launcher(home) });
  process.umask(0o022);
  shareBelow(home);
  for (const made of [home, layout.ledgers(home), layout.store(home)]) openToAll(made);
  return {
    ...host,
    isAtTerminal: host.isAtTerminal === true,
    scope: "system",
    drwnHome: home,
    image: { folder, node: node ?? recordedNode(home) },
  };
}

/** As the hook finds it. Root's is root's own: `sudo` may leave the user's in `HOME`. */
function homeOfCaller({ home }: Host): string {
  if (process.getuid?.() !== 0) return home;
  try {
    return os.userInfo().homedir;
  } catch {
    // Root has no line among the users.
    return "/root";
  }
}

/** The hook runs as the user who calls it, and reads what is in it. */
function openToAll(folder: string): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.chmodSync(folder, 0o755);
}

/** Where programs of the system are looked for, and what a terminal is like; and what agents say of themselves. */
function ownEnvironment(env: Environment, home: string): Environment {
  const kept = ["TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LANG", "LC_ALL", "TZ", ...AGENT_MARKERS];
  const own = kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    ...Object.fromEntries(own),
    HOME: home,
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  };
}

function noPlace(): Problem {
  return new Problem("DRWN_PLATFORM_UNSUPPORTED", "drwn knows no place of root's on this operating system");
}

function refuse(home: string, found: NotRoots | null): void {
  if (found === null) return;
  const [file, place] = [shellQuote(found.file), shellQuote(home)];
  const isLink = lstatIfThere(found.file)?.isSymbolicLink() === true;
  throw new Problem("DRWN_SYSTEM_UNSAFE", `${clean(found.file, 1000)} ${found.fault}`, {
    details: [`what holds for every user lies in ${home}, which root alone may be able to change`],
    // What a link leads to may be all that was consented to: without it the next write would take the floor out.
    hint: isLink
      ? "look at who made it and at what it leads to, and put that itself in its place"
      : `look at who made it, and remove it, or: sudo chown -h root ${file} && sudo chmod go-w ${file} && sudo chmod -R go-w ${place}`,
  });
}

/** The Node that the launcher starts, as root has said once, or as a user's last `drwn write` was run by. */
export function recordedNode(home: string): string | undefined {
  const launcher = layout.launcher(home);
  if (!fs.existsSync(launcher)) return undefined;
  return /^node='((?:[^'\n]|'\\'')+)'$/mu.exec(fs.readFileSync(launcher, "utf8"))?.[1]?.replaceAll("'\\''", "'");
}
