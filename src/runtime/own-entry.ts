import { layout } from "../contract/layout.ts";
import type { Runtime } from "../policy/event.ts";
import { type Place, readBytes } from "./read-file.ts";
import { isRecord } from "./shape.ts";

/**
 * Whether `write` gave this agent an entry of its own for this project. Then that one judges its calls, and the entry of
 * another agent, which it reads as well, says nothing: no policy is asked twice about one call. Whatever else is in the
 * record, or none, leaves the call to whoever was asked.
 */
export function hasOwnEntry({ home, key }: Place, runtime: Runtime): boolean {
  const bytes = readBytes(layout.written(home, key));
  if (typeof bytes === "string") return false;
  try {
    const written: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isRecord(written)) return false;
    const { runtimes } = written;
    return Array.isArray(runtimes) && runtimes.includes(runtime);
  } catch {
    // A record that cannot be read names nobody.
    return false;
  }
}
