import fs from "node:fs";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { denying } from "../hook/launched.ts";
import { armHome } from "../support/armed-home.ts";
import { verdictOf } from "../support/hook-calls.ts";

test("a launcher that was cut off behind any of its lines lets no call through", () => {
  const armed = armHome([denying]);
  const lines = fs.readFileSync(layout.launcher(armed.home), "utf8").split("\n");
  // After the last of these the launcher is whole.
  const statements = lines.slice(0, lines.lastIndexOf("esac"));
  const passed = statements.flatMap((line, at) => {
    // A comment changes nothing.
    if (/^ *(?:#|$)/u.test(line)) return [];
    fs.writeFileSync(layout.launcher(armed.home), statements.slice(0, at + 1).join("\n"));
    return ["block", "deny"].includes(verdictOf(armed.call())) ? [] : [`${at + 1}: ${line}`];
  });
  expect(passed).toEqual([]);
});
