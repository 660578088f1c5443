import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dispatch as dispatchArawn } from "../../../src/dialects/arawn/library.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { bash, SHELL_CALL } from "./world.ts";

describe("one event on its own", () => {
  const NO_HOOK = `[[hooks]]\nevent = "PreToolUse"\ncommand = "./no.sh"\n`;
  const plugin = {
    "plugins/guard/plugin.toml": NO_HOOK,
    "plugins/guard/no.sh": bash('echo "no, $ARAWN_SESSION_ID"; exit 1'),
  };
  const env = { PATH: process.env["PATH"] };

  test("is asked of the hooks of the project and of the user, and of the user's only where there is one", async () => {
    const root = writeTree(temporaryFolder(), plugin);
    const home = writeTree(temporaryFolder(), {
      ".config/arawn/plugins/mine/plugin.toml": NO_HOOK,
      ".config/arawn/plugins/mine/no.sh": bash("echo mine; exit 1"),
    });
    for (const folder of [path.join(root, "plugins/guard"), path.join(home, ".config/arawn/plugins/mine")]) {
      fs.chmodSync(path.join(folder, "no.sh"), 0o755);
    }
    const session = { ...env, ARAWN_SESSION_ID: "s-7" };
    expect(await dispatchArawn("PreToolUse", SHELL_CALL, { root, home, env })).toEqual({
      outcome: "block",
      reason: "mine",
    });
    expect(await dispatchArawn("PreToolUse", SHELL_CALL, { root, home: null, env: session })).toEqual({
      outcome: "block",
      reason: "no, s-7",
    });
    expect(await dispatchArawn("Stop", { response: "done" }, { root, home, env })).toEqual({ outcome: "allow" });
  });

  test("is blocked where a file has a fault, which is told", async () => {
    const root = writeTree(temporaryFolder(), { "plugins/guard/plugin.toml": "[[hooks]]\nevent = 7\n" });
    const notes: string[] = [];
    const places = { root, home: null, env, onNote: (note: string) => notes.push(note) };
    expect(await dispatchArawn("PreToolUse", SHELL_CALL, places)).toMatchObject({ outcome: "block" });
    expect(notes[0]).toContain("plugin.toml, [[hooks]] 1, `event`: should be text");
  });
});
