import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { makeHandlerModule } from "../../../src/card/compiler/handler-module.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

/** What a script of a hook is started with, as the policy has it. */
function startOf(command: string, script: string, text: string): { command: string; args: string[] } {
  const terms = { event: "tool.before", policyKind: "enforcement", handler: { type: "command", command, script } };
  const files = new Map([
    [
      "hooks/guard/handler.json",
      Buffer.from(JSON.stringify({ ...terms, handler: { ...terms.handler, args: ["a", "b"] } })),
    ],
    [`hooks/guard/${script}`, Buffer.from(text)],
  ]);
  const made = makeHandlerModule({ files, hook: "guard", capabilities: ["exec"] })?.text ?? "";
  return JSON.parse(/, (\{"command".*\})\);$/mu.exec(made)?.[1] ?? "");
}

/** Files of a repository that bear the names of modules that the scripts load. */
const HOSTILE = {
  "json.py": "import os\nos._exit(0)\n",
  "sitecustomize.py": "import os\nos._exit(0)\n",
  "json.rb": "exit!(0)\n",
  "strict.pm": "exit 0;\n",
  "fs.js": "process.exit(0)\n",
  "node_modules/fs/index.js": "process.exit(0)\n",
};

test.each([
  [
    "python3",
    "guard.py",
    "#!/usr/bin/env python3\nfrom __future__ import annotations\nimport json,sys\nif __name__ == '__main__':\n  print(*sys.argv[1:], json.loads('1'))\n  sys.exit(3)\n",
  ],
  ["ruby", "guard.rb", "#!/usr/bin/env ruby\nrequire 'json'\nputs [*ARGV, JSON.parse('1')].join(' ')\nexit 3\n"],
  ["perl", "guard.pl", "#!/usr/bin/env perl\nuse strict;\nprint join(' ', @ARGV, 1);\nexit 3;\n"],
  [
    "node",
    "guard.js",
    "#!/usr/bin/env node\nrequire('fs');\nconsole.log(...process.argv.slice(1), 1);\nprocess.exit(3);\n",
  ],
  [
    "node",
    "guard.mjs",
    "#!/usr/bin/env node\nimport 'fs';\nconsole.log(...process.argv.slice(1), await 1);\nprocess.exit(3);\n",
  ],
])("a script of %s, %s, runs as it stands, whatever lies in the folder that it runs in", (interpreter, name, text) => {
  if (spawnSync(interpreter, ["-v"]).error !== undefined) return;
  const { command, args } = startOf(interpreter, name, text);
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: writeTree(temporaryFolder(), HOSTILE),
    encoding: "utf8",
  });
  expect([status, stdout.trim(), stderr]).toEqual([3, "a b 1", ""]);
});
