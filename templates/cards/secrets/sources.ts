import type { Source } from "darwinian-minds/hook-policy/helpers";
import { isSecret, isSecretName } from "./places.ts";
import { printsEnvironment, printsSecret } from "./printing.ts";

/** Whether there is a secret in what a flow begins with. */
export function holdsSecret({ kind, name, step }: Source): boolean {
  if (kind === "place") return isSecret(name);
  if (kind === "variable") return isSecretName(name);
  return kind === "output" && step !== undefined && (printsSecret(step) || printsEnvironment(step) !== undefined);
}
