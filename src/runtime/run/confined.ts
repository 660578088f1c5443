import { nodeProcess } from "../../hot/primordials.ts";

/** Whether Node confines this process as the launcher asked: it can read drwn's own files, and start nothing. */
export function isConfined(): boolean {
  return "permission" in nodeProcess;
}
