import { readEnvironment, stateFolder } from "../../kernel/host.ts";
import { preferredLook } from "../../operations/preferences.ts";

/** Nothing may be drawn anew: the terminal cannot, or a screen reader would say it again. */
export function isPlain(): boolean {
  const env = readEnvironment();
  if (env["TERM"] === "dumb") return true;
  const home = stateFolder(env);
  return home !== undefined && preferredLook(home).terminal === "plain";
}
