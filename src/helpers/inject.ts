import type { Decision } from "../policy/decision.ts";
import { tagged } from "./context.ts";
import type { Moment } from "./moment.ts";
import type { Inject } from "./parts.ts";
import { runProgram } from "./programs.ts";

/** Adds files and what a command prints. Nothing to add is no opinion. */
export function contextFor({ files, command }: Inject, { input, left }: Moment): Decision | undefined {
  const texts = tagged(files);
  if (command !== undefined) {
    const printed = runProgram?.({ program: "/bin/sh", arguments: ["-c", command], input, left: left() });
    texts.push((printed ?? "").trim());
  }
  const additionalContext = texts.filter((text) => text !== "").join("\n\n");
  return additionalContext === "" ? undefined : { action: "allow", additionalContext };
}
