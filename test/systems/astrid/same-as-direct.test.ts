import { expect, test } from "vitest";
import { compare } from "../compare.ts";
import { ASTRID } from "./compared.ts";
import { hookToml } from "./world.ts";

test("a hook that blocks a call blocks it as a card, in Astrid and in Claude Code", async () => {
  const { compared } = await compare(ASTRID, {
    files: { ".astrid/hooks/no-rm/HOOK.toml": hookToml("grep -q rm && echo 'block: no rm'", { name: "no-rm" }) },
    place: ".astrid",
    told: [{ event: "pre_tool_call", input: { data: { tool_name: "shell", arguments: { command: "rm x" } } } }],
  });
  const held = { ends: "held", reason: "no rm", text: "", trace: "" };
  expect(compared).toMatchObject([{ direct: held, own: held, claude: held }]);
});
