import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { bundleScript } from "../support/processes.ts";

const MAKE_MANY = `import { isPair, makeSigningKey } from "src/card/signing/publisher-key.ts";
let whole = 0;
for (let made = 0; made < 12_000; made++) if (isPair(makeSigningKey())) whole++;
console.log(whole);`;

test("a key that is made while memory is collected is whole, and nobody waits for it for ever", async () => {
  const script = await bundleScript(MAKE_MANY);
  const printed = await new Promise((resolve) => {
    execFile(process.execPath, [script], { timeout: 60_000, killSignal: "SIGKILL" }, (_, stdout) => resolve(stdout));
  });
  expect(printed).toBe("12000\n");
});
