import { defineProperty, freeze } from "../../hot/primordials.ts";

/** A policy that calls one of these has failed, whether or not it catches the error. */
const ENDINGS = ["_kill", "abort", "exit", "kill", "reallyExit"];

const LISTENING = [
  "addListener",
  "off",
  "on",
  "once",
  "prependListener",
  "prependOnceListener",
  "removeAllListeners",
  "removeListener",
  "setMaxListeners",
];

export interface PolicyProcess {
  /** Called when the policy tried to end the process. */
  onEnding: (name: string) => void;
  /** What the policy may see of the environment. */
  env: Readonly<Record<string, string | undefined>>;
  nextTick: (callback: unknown, ...given: unknown[]) => void;
  /** Replaces stdout and stderr. */
  sink: object;
}

/**
 * The `process` that policies see: what a guard may ask about the machine, and nothing that leads to bindings, modules,
 * other processes or the listeners of this one. Everything in it is listed, so that a newer Node adds nothing.
 */
export function makePolicyProcess({ onEnding, env, nextTick, sink }: PolicyProcess): object {
  const { arch, pid, platform, release, title, version, versions, hrtime, uptime } = process;
  const folder = process.cwd();
  const { bigint } = hrtime;
  const clock = (earlier?: [number, number]) => hrtime(earlier);
  clock.bigint = () => bigint();
  const seen: Record<string, unknown> = {
    arch,
    pid,
    platform,
    title,
    version,
    release: { ...release },
    versions: { ...versions },
    argv: [],
    execArgv: [],
    env: { ...env },
    cwd: () => folder,
    emit: () => false,
    emitWarning: () => {},
    exitCode: undefined,
    hrtime: clock,
    listenerCount: () => 0,
    listeners: () => [],
    nextTick,
    stderr: sink,
    stdin: undefined,
    stdout: sink,
    uptime: () => uptime(),
  };
  const self = () => seen;
  for (const name of LISTENING) seen[name] = self;
  for (const name of ENDINGS) {
    seen[name] = () => {
      onEnding(name);
      throw new Error(`process.${name} is not available to policies`);
    };
  }
  defineProperty(seen, Symbol.toStringTag, { value: "process" });
  return freeze(seen);
}
