import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { writeTree } from "../../support/cards.ts";
import { consented, person } from "../../support/person.ts";
// As the commit be7f97bf wrote them, each a shell program of 1,100 characters.
import FORMER from "../former-entries.json" with { type: "json" };

const FILES = Object.keys(FORMER);
const OWN = {
  ".claude/settings.json":
    '{\n  "model": "opus",\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "true" }] }\n    ]\n  }\n}\n',
};

const readAt = (home: string) =>
  Object.fromEntries(
    FILES.flatMap((file) => {
      const place = path.join(home, file);
      return fs.existsSync(place) ? [[file, fs.readFileSync(place, "utf8")]] : [];
    }),
  );

test("entries of the shape before are replaced by `write`, as if they had never been, and taken away by `uninstall`", async () => {
  const folders = [".claude", ".codex", ".copilot", ".cursor", ".gemini"];
  const machine = person({ folders });
  writeTree(machine.home, OWN);
  await (await consented(machine)).drwn("write");
  const written = readAt(machine.home);
  expect(Object.keys(written)).toEqual(FILES);
  const former = Object.entries(FORMER).map(([file, text]) => [file, text.replaceAll("@HOME@", machine.home)]);
  writeTree(machine.home, Object.fromEntries(former));
  expect((await machine.drwn("write", "--check")).status).toBe(3);
  expect((await machine.drwn("write")).status).toBe(0);
  expect(readAt(machine.home)).toEqual(written);
  writeTree(machine.home, Object.fromEntries(former));
  expect((await machine.drwn("uninstall")).status).toBe(0);
  expect(readAt(machine.home)).toEqual(OWN);
});
