import { readEnvironment, stateFolder } from "../../kernel/host.ts";
import { preferredLook } from "../../operations/preferences.ts";

/** Whether nothing may be redrawn: the terminal cannot, or a screen reader would say it again. */
export function isPlain(): boolean {
  const env = readEnvironment();
  if (env["TERM"] === "dumb") return true;
  const home = stateFolder(env);
  return home !== undefined && preferredLook(home).terminal === "plain";
}
