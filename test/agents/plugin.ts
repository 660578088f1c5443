import type { PolicyTrigger, Target } from "../../src/wiring/target.ts";

/** The text of the module that this target writes for hooks at these moments. */
export function pluginOf(target: Target, drwnHome: string, phases: PolicyTrigger["phases"]): string {
  const { changes } = target.planHooks({
    host: { cwd: "/p", home: "/nobody", env: {}, drwnHome },
    root: "/p",
    wiring: "user",
    own: [{ matcher: null, phases }],
    others: [],
    shared: "keep",
    originalOf: () => undefined,
  });
  return changes[0]?.after?.toString() ?? "";
}
