import { nodeProcess } from "../../hot/primordials.ts";

/** Node holds this process to what the launcher said: it can read drwn's own files, and start nothing. */
export function isConfined(): boolean {
  return "permission" in nodeProcess;
}
