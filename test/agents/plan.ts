import type { PolicyTrigger, Target } from "../../src/wiring/target.ts";

type Request = Parameters<Target["planHooks"]>[0];

interface Wanted extends Partial<Omit<Request, "host">> {
  home?: string;
  env?: Record<string, string>;
  drwnHome?: string;
}

/** What the target plans for these hooks of a user, whose project is `/p`. */
export function planFor(target: Target, own: readonly PolicyTrigger[], { home = "/home/me", ...parts }: Wanted = {}) {
  const { env = {}, drwnHome = `${home}/.agents/drwn`, ...more } = parts;
  const { file, changes } = target.planHooks({
    host: { cwd: "/p", home, env, drwnHome },
    root: "/p",
    wiring: "user",
    own,
    others: [],
    shared: "keep",
    originalOf: () => undefined,
    ...more,
  });
  return { file, changes, text: changes[0]?.after?.toString() ?? "{}" };
}

/** The text of the module that this target writes for hooks at these moments. */
export function pluginOf(target: Target, drwnHome: string, phases: PolicyTrigger["phases"]): string {
  return planFor(target, [{ matcher: null, phases }], { drwnHome }).text;
}
