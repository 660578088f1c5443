import { expect, test } from "vitest";
import { hookName } from "../../../src/dialects/importing/handler-hook.ts";

test("names of another system become names of hooks, each once", () => {
  const taken = new Set<string>();
  const names = ["No rm!", "no rm", "ü", "", "constructor", "__proto__"].map((name) => hookName(name, taken));
  expect(names).toEqual(["no-rm", "no-rm-2", "policy", "policy-2", "constructor-2", "proto"]);
});
