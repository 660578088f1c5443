import { execFileSync, type SpawnSyncReturns, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const NOBODY = "65534";
const KEY = "0".repeat(64);

/** Why a test cannot be root on a machine of its own here; undefined: it can. */
export function whyNoMachine(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root can have an /etc of its own";
  const { status } = spawnSync("unshare", ["-m", "setpriv", "--reuid", NOBODY, "--clear-groups", "true"]);
  return status === 0 ? undefined : "it takes unshare and setpriv";
}

/** A machine with its own /etc in front of the real one: its programs find what is in `etc`. */
export class SystemMachine {
  readonly etc: string;
  readonly key = KEY;
  /** What its programs find as /bin/sh. */
  shell = "/bin/sh";

  /** With the present /etc of another such machine. */
  constructor(other?: SystemMachine) {
    // It disappears with the run's folder.
    this.etc = path.join(fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-machine-"))), "etc");
    if (other !== undefined) {
      execFileSync("cp", ["-a", other.etc, this.etc]);
      return;
    }
    // What programs look at in the real one; nothing more, so that a copy takes no time.
    for (const folder of ["", "ssl"]) fs.mkdirSync(this.at(folder));
    for (const name of ["passwd", "group", "nsswitch.conf", "machine-id", "ssl/openssl.cnf"]) {
      if (fs.existsSync(`/etc/${name}`)) fs.copyFileSync(`/etc/${name}`, this.at(name));
    }
    // Claude Code is used here.
    for (const folder of ["home-of-nobody", "home-of-nobody/.claude"]) {
      fs.mkdirSync(this.at(folder));
      fs.chownSync(this.at(folder), Number(NOBODY), Number(NOBODY));
    }
  }

  copy(): SystemMachine {
    return new SystemMachine(this);
  }

  /** For those who make hundreds: they are in memory, 12 MB each. */
  remove(): void {
    fs.rmSync(path.dirname(this.etc), { recursive: true });
  }

  at(...parts: string[]): string {
    return path.join(this.etc, ...parts);
  }

  /** The only file of that name in the floor's state. */
  planFile(): string {
    const folder = this.at("drwn/projects", KEY);
    return path.join(folder, fs.readdirSync(folder).find((name) => name.startsWith("plan-")) ?? "");
  }

  drwn(...args: string[]): SpawnSyncReturns<string> {
    return this.#run([process.execPath, PROGRAM, ...args], {});
  }

  /** Runs drwn as root, in somebody else's environment. */
  drwnIn(env: Readonly<Record<string, string>>, ...args: string[]): SpawnSyncReturns<string> {
    return this.#run([process.execPath, PROGRAM, ...args], { env });
  }

  /** The same, while the machine dies or the disk fails at one call that changes something below /etc. */
  drwnFaulty(fault: { shape?: string; at?: number; log?: string }, ...args: string[]): SpawnSyncReturns<string> {
    const told = JSON.stringify({ root: "/etc", now: "2026-01-31T12:00:00.000Z", ...fault });
    const preload = `${INSTALLED}/test/support/faults/preload.mjs`;
    const env = { HOME: "/etc/roots-home", PATH: process.env["PATH"] ?? "", DRWN_FAULT: told };
    return this.#run([process.execPath, "--import", preload, PROGRAM, ...args], { env });
  }

  /** Runs a script as root, for things that need several processes at once. */
  script(text: string, ...args: string[]): SpawnSyncReturns<string> {
    return this.#run(["/bin/sh", "-c", text, "sh", ...args], {});
  }

  /** Runs drwn as root types it in a terminal. */
  drwnAtTerminal(...args: string[]): SpawnSyncReturns<string> {
    const words = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`);
    return this.#run(["/usr/bin/script", "-qec", words.join(" "), "/dev/null"], {});
  }

  drwnAsNobody(...args: string[]): SpawnSyncReturns<string> {
    return this.drwnAsNobodyIn("/etc/home-of-nobody", ...args);
  }

  drwnAsNobodyIn(home: string, ...args: string[]): SpawnSyncReturns<string> {
    const env = { HOME: home, PATH: process.env["PATH"] ?? "" };
    return this.#run([...AS_NOBODY, process.execPath, PROGRAM, ...args], { env });
  }

  /** A call with that entry, as Claude Code starts it for a user. */
  call(
    command: string,
    env: Readonly<Record<string, string>> = { HOME: "/etc/home-of-nobody" },
  ): SpawnSyncReturns<string> {
    return this.hook(this.entry(), command, env);
  }

  /** The words of the entry before a call in Claude Code's settings. */
  entry(): string[] {
    const { hooks } = JSON.parse(fs.readFileSync(this.at("claude-code/managed-settings.d/50-drwn.json"), "utf8"));
    const { command, args } = hooks.PreToolUse[0].hooks[0];
    return [command, ...args];
  }

  hook(entry: readonly string[], command: string, env: Readonly<Record<string, string>>): SpawnSyncReturns<string> {
    const event = {
      session_id: "s",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_use_id: "t",
      cwd: "/",
      tool_input: { command },
    };
    return this.#run([...AS_NOBODY, ...entry], { env, input: JSON.stringify(event) });
  }

  #run(words: string[], more: { env?: Readonly<Record<string, string>>; input?: string }): SpawnSyncReturns<string> {
    const { env = { HOME: this.at("roots-home"), PATH: process.env["PATH"] ?? "" }, input = "" } = more;
    const mounts = ['"$0" /etc', '"$1" /bin/sh', `"$2" ${INSTALLED}`, `"$3" ${INSTALLED}/node_modules`];
    const within = `${mounts.map((one) => `mount --bind ${one} && `).join("")} shift 3 && exec /usr/bin/env -i "$@"`;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    return spawnSync(
      "unshare",
      ["-m", "sh", "-c", within, this.etc, this.shell, installed(), MODULES, ...variables, ...words],
      {
        ...{ input, encoding: "utf8", cwd: "/" },
      },
    );
  }
}

const AS_NOBODY = ["/usr/bin/setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"];

/** Where root has installed drwn on these machines. The checkout may lie where other users could change it. */
const INSTALLED = "/mnt";
export const PROGRAM = `${INSTALLED}/bin/drwn.js`;
const CHECKOUT = path.resolve(import.meta.dirname, "../..");
const MODULES = path.join(CHECKOUT, "node_modules");
let copied: string | undefined;

/** A copy of the checkout that belongs to root, as an installed package does; made once. */
function installed(): string {
  if (copied !== undefined) return copied;
  copied = fs.mkdtempSync(path.join(os.tmpdir(), "drwn-installed-"));
  const parts = ["bin", "dist", "templates", "package.json", "oclif.manifest.json", "test/support/faults"];
  execFileSync("cp", ["-r", "--parents", ...parts, copied], { cwd: CHECKOUT });
  fs.mkdirSync(path.join(copied, "node_modules"));
  execFileSync("chmod", ["-R", "u=rwX,go=rX", copied]);
  return copied;
}
