import { tagged } from "./context.ts";
import type { Evaluation } from "./evaluation.ts";
import { runProgram } from "./outside/programs.ts";
import type { Inject } from "./parts.ts";

/** The texts of files and the output of a command; undefined: there is nothing to add. */
export function contextFor(
  { files, command }: Inject,
  { input, left }: Pick<Evaluation, "input" | "left">,
): string | undefined {
  const texts = tagged(files);
  if (command !== undefined) {
    const printed = runProgram?.({ program: "/bin/sh", arguments: ["-c", command], input, left: left() });
    texts.push((printed ?? "").trim());
  }
  const context = texts.filter((text) => text !== "").join("\n\n");
  return context === "" ? undefined : context;
}
