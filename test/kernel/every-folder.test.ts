import { expect, test } from "vitest";
import { forEveryFolder, type WideScope } from "../../src/kernel/every-folder.ts";

test.each<[string, WideScope, string]>([
  ["the hook policies of this project are paused", "system", "the hook policies of the system scope are paused"],
  ["no hook policy is in force in this project", "global", "no hook policy is in force in the global scope"],
  ["run: drwn write", "global", "run: drwn write --global"],
  ["run: drwn write, then drwn status", "system", "run: sudo drwn write --system, then drwn status --system"],
  // What a card says of itself.
  ["“Keeps agents in this project”", "system", "“Keeps agents in this project”"],
])("%j is said of %j as %j", (text, scope, said) => {
  expect(forEveryFolder(text, scope)).toBe(said);
});
