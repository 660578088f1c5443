import { expect, test } from "vitest";
import { compare } from "../compare.ts";
import { arawnBy } from "./compared.ts";
import { bash } from "./world.ts";

const call = (command: string) => ({ event: "PreToolUse", input: { tool: "shell", params: { command } } });

test("a script that says no to a call says no as a card, in Arawn and in Claude Code", async () => {
  const { compared } = await compare(arawnBy("plugin.toml"), {
    files: {
      "plugins/guard/plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = "./no-rm.sh"\n`,
      "plugins/guard/no-rm.sh": bash("if grep -q rm; then echo no rm; exit 1; fi"),
    },
    place: "plugins/guard",
    told: [call("rm x"), call("ls")],
  });
  for (const { told, direct, own, claude } of compared) {
    const ends = told.input["params"] === compared[0]?.told.input["params"] ? "held" : "proceeds";
    expect([direct, own, claude]).toEqual(Array(3).fill({ ...direct, ends }));
  }
});
