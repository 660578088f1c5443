/** Stands for a field that is taken out. */
export const REMOVED = Symbol("removed");

/** Sets or removes what a path names; in a list or record, its first item. Changes the value in place. */
export function mutate(target: unknown, path: string, value: unknown): void {
  const steps = path.split(".").flatMap((step) => (step.endsWith("[]") ? [step.slice(0, -2), "*"] : [step]));
  let owner = target as Record<string, unknown>;
  for (const [at, step] of steps.entries()) {
    const name = step === "*" ? (Object.keys(owner)[0] ?? "") : step;
    if (at < steps.length - 1) {
      owner = owner[name] as Record<string, unknown>;
      continue;
    }
    if (value === REMOVED) delete owner[name];
    else owner[name] = value;
  }
}

/** Whether the path names a field; list items are covered by the fields in them. */
export function isField(path: string): boolean {
  return !path.endsWith("[]");
}
