import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { clientsFolder } from "./clients.ts";
import type { ProcessRequest } from "./process.ts";

/** A throwaway home, drwn home and project. Everything that a case reads or writes is in it. */
export class World {
  readonly folder: string;
  readonly home: string;
  readonly project: string;
  /** What the machine's owner has in /etc. If it exists, the case's programs see it in front of the real one. */
  readonly etc: string;
  /** The environment of every program in the case. */
  readonly env: Readonly<Record<string, string>>;

  /** Programs of clients to use instead of the pinned ones. */
  readonly programs: Record<string, string> = {};

  /** Whose sessions these are if the world has its own /etc. Absent: those of whoever runs the tests. */
  user?: string;

  constructor() {
    this.folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-e2e-")));
    this.home = path.join(this.folder, "home");
    this.project = path.join(this.folder, "project");
    this.etc = path.join(this.folder, "etc");
    this.env = {
      HOME: this.home,
      DRWN_HOME: path.join(this.home, ".agents", "drwn"),
      CLAUDE_CONFIG_DIR: path.join(this.home, ".claude"),
      NO_COLOR: "1",
    };
    fs.mkdirSync(this.home, { mode: 0o700 });
    // By this folder drwn finds Claude Code; the tests of other agents name them.
    fs.mkdirSync(path.join(this.home, ".claude"));
    fs.mkdirSync(this.project);
  }

  /** `file` is relative to the project; folders above it are made. */
  write(file: string, text: string): string {
    const absolute = this.at(file);
    fs.mkdirSync(path.dirname(absolute), { recursive: true });
    fs.writeFileSync(absolute, text);
    return absolute;
  }

  read(file: string): string {
    return fs.readFileSync(this.at(file), "utf8");
  }

  has(file: string): boolean {
    return fs.existsSync(this.at(file));
  }

  /** Leaves the launcher as a full disk or a copy that was cut off does. */
  emptyLauncher(): void {
    fs.truncateSync(path.join(this.home, ".agents", "drwn", "bin", "hook"));
  }

  at(file: string): string {
    return path.resolve(this.project, file);
  }

  /** Its programs see an /etc of its own. */
  get isHoused(): boolean {
    return fs.existsSync(this.etc);
  }

  /** What root has installed, if it has: its programs see it as `INSTALLED`. */
  get installed(): string {
    return `${this.folder}-installed`;
  }

  /** How a program is started in this world. */
  housed(request: ProcessRequest): ProcessRequest {
    return this.isHoused ? housedBy(this, request, []) : request;
  }

  /** How an agent is started in this world: by the user who owns it. */
  session(request: ProcessRequest): ProcessRequest {
    const { user } = this;
    if (user === undefined) return this.housed(request);
    const theirs = fs.readdirSync(this.folder).filter((name) => path.join(this.folder, name) !== this.etc);
    execFileSync("chown", ["-RhP", user, ...theirs.map((name) => path.join(this.folder, name))]);
    fs.chmodSync(this.folder, 0o755);
    const { program, args } = request;
    // The clients may be in root's own home.
    const clients = clientsFolder(process.env);
    const [client] = [program, ...args].flatMap((word) =>
      word.startsWith(`${clients}/`) ? [path.relative(clients, word).split("/")[0] ?? ""] : [],
    );
    const from = path.join(clients, client ?? "");
    const at = path.join(this.folder, "client");
    fs.mkdirSync(at, { recursive: true });
    const [asked = "", ...words] = [program, ...args].map((word) =>
      word.startsWith(`${from}/`) ? path.join(at, path.relative(from, word)) : word,
    );
    const become = ["sh", "-c", BECOME, user, fs.realpathSync(from), at];
    return housedBy(this, { ...request, program: asked, args: words }, become);
  }

  /** Breaks the hook as if somebody deleted the program that the agents' entries start. */
  breakHook(): void {
    fs.rmSync(path.join(this.home, ".agents", "drwn", "bin", "hook"));
  }

  remove(): void {
    fs.chmodSync(this.folder, 0o700);
    makeWritable(this.folder);
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

const BECOME = 'mount --bind "$1" "$2" && shift 2 && exec setpriv --reuid "$0" --regid "$0" --clear-groups "$@"';

function housedBy({ etc, installed }: World, request: ProcessRequest, become: readonly string[]): ProcessRequest {
  const { program, args } = request;
  // The program that puts it there needs a PATH, whatever the real program gets.
  const { PATH, ...env } = request.env;
  const words = PATH === undefined ? [program] : ["/usr/bin/env", `PATH=${PATH}`, program];
  return { ...request, env, program: "unshare", args: [...inFrontOfEtc(etc, installed), ...become, ...words, ...args] };
}

/** Where root has installed drwn. The checkout may lie where other users could change it. */
export const INSTALLED = "/mnt";

function inFrontOfEtc(folder: string, installed = ""): string[] {
  const mounts = [
    'mount -t overlay overlay -o "lowerdir=$0:/etc" /etc',
    `if [ -d "$1" ]; then mount --bind "$1" ${INSTALLED} && mount --bind "$2" ${INSTALLED}/node_modules; fi`,
  ];
  const modules = path.resolve(import.meta.dirname, "../../node_modules");
  return ["-m", "sh", "-c", `${mounts.join(" && ")} && shift 2 && exec "$@"`, folder, installed, modules];
}

/** Why no world can have its own /etc here; undefined: they can. */
export function whyNoEtc(): string | undefined {
  const { status } = spawnSync("unshare", [...inFrontOfEtc(import.meta.dirname), "true"]);
  return status === 0 ? undefined : "only root can put something in front of /etc, with unshare and overlays";
}

/** The store is read-only on purpose; a folder without write permission cannot be emptied. */
function makeWritable(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const child = path.join(folder, entry.name);
    fs.chmodSync(child, 0o700);
    makeWritable(child);
  }
}
