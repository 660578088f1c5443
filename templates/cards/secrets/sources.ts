import type { Source } from "darwinian-minds/hook-policy/helpers";
import { isSecret, isSecretName } from "./places.ts";
import { printsEnvironment, printsSecret } from "./printing.ts";

/** What an env file has beside its secrets: `$PORT`, `$NODE_ENV`, `$API_URL`. */
const SETTING = () =>
  /(?:^|_)(?:PORT|HOST|ENV|NAME|DEBUG|LEVEL|REGION|ZONE|VERSION|MODE|DIR|PATH|FOLDER|FILE|HOME|USER|ID|STAGE|DOMAIN|ORIGIN|BASE|UR[IL]|ENDPOINT|SHELL|PWD|TZ|LANG|COUNT|SIZE|LIMIT|TIMEOUT|ENABLED?|BRANCH|TAG|TYPE|BUCKET|MODEL|TARGET|EMAIL|PROJECT|IMAGE|CLUSTER|NAMESPACE|PROFILE|DATE|\d+|[a-z].*)$/;

/** Whether a variable is a secret by its name, or by the file that set it. */
export function isSecretVariable({ kind, name, setBy }: Source): boolean {
  return (
    kind === "variable" &&
    (isSecretName(name) || (setBy !== undefined && isSecret(setBy) && /^[A-Z]/.test(name) && !SETTING().test(name)))
  );
}

/** Whether there is a secret in what a flow begins with. */
export function holdsSecret(source: Source): boolean {
  const { kind, name, step } = source;
  if (kind === "place") return isSecret(name);
  if (kind === "variable") return isSecretVariable(source);
  return kind === "output" && step !== undefined && (printsSecret(step) || printsEnvironment(step) !== undefined);
}
