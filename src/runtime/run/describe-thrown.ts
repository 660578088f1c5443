import { getField } from "../../hot/primordials.ts";

/** Describes what was thrown. It runs accessors of the thrown value, so it is called under the policy's deadline. */
export function describeThrown(error: unknown): string {
  try {
    if (typeof error === "string") return `threw "${error}"`;
    if (typeof error !== "object" || error === null) return "threw something that isn't an error";
    const name: unknown = getField(error, "name");
    const message: unknown = getField(error, "message");
    if (typeof message !== "string") return "threw something that isn't an error";
    return `threw ${typeof name === "string" ? name : "Error"}${message === "" ? "" : `: ${message}`}`;
  } catch {
    return "threw something that cannot be read";
  }
}
