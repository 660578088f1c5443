import { describe, expect, test } from "vitest";
import { type ConstantName, matchConstants } from "../../src/helpers/match-constants.ts";
import { COMMANDS } from "./git-commands.ts";

describe.each(Object.values(matchConstants))("$name", (constant) => {
  const { meant, others } = COMMANDS[constant.name as ConstantName];
  test.each(meant)("finds it in: %j", (command) => {
    expect(constant.matches(command)).toBe(true);
  });
  test.each(others)("leaves alone: %j", (command) => {
    expect(constant.matches(command)).toBe(false);
  });
});
