import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { summarize } from "./measure.mjs";
import { shellGuard } from "./policies.mjs";
import { drwn, drwnBinary, makeWorld } from "./world.mjs";

/** From a save until the answer to the event is there. */
const MOST_MS = 300;
const SAVES = 12;
const WARM_UPS = 2;
/** Between two saves an author thinks. */
const PAUSE_MS = 300;
const CASES = [
  { id: "lists", tool: "Bash", input: { command: "ls" }, expect: "allow" },
  { id: "forces", tool: "Bash", input: { command: "git push --force" }, expect: "deny" },
];

/**
 * Milliseconds from a save of a policy until `card dev` has printed what it answers to an event, and then how its cases went.
 * @param {string} folder
 */
export async function measureDev(folder) {
  fs.mkdirSync(folder);
  const world = makeWorld(folder);
  const source = path.join(folder, "dev");
  drwn(world, "card", "new", "@bench/dev", "--into", folder);
  const policy = path.join(source, "hooks/guard/policy.ts");
  fs.mkdirSync(path.dirname(policy), { recursive: true });
  fs.writeFileSync(path.join(path.dirname(policy), "README.md"), "# guard\n");
  fs.writeFileSync(path.join(path.dirname(policy), "cases.jsonl"), CASES.map((one) => JSON.stringify(one)).join("\n"));
  const manifest = path.join(source, "card.json");
  const said = { ...JSON.parse(fs.readFileSync(manifest, "utf8")), hooks: { include: ["guard"] } };
  fs.writeFileSync(manifest, JSON.stringify(said));
  fs.writeFileSync(policy, shellGuard);
  const words = ["card", "dev", source, "--tool", "Bash", "--input", '{"command":"git push --force"}'];
  const child = spawn(process.execPath, [drwnBinary, ...words], {
    cwd: world.project,
    env: { PATH: process.env.PATH, ...world.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const [answered, done] = [[], []];
  try {
    await waitFor(lines, PASSED);
    for (let save = -WARM_UPS; save < SAVES; save++) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const begun = performance.now();
      fs.writeFileSync(policy, `${shellGuard}\n// save ${save}\n`);
      await waitFor(lines, DENIED);
      if (save >= 0) answered.push(performance.now() - begun);
      await waitFor(lines, PASSED);
      if (save >= 0) done.push(performance.now() - begun);
    }
  } finally {
    child.kill("SIGKILL");
  }
  return { answered: summarize(answered), done: summarize(done) };
}

export function printDev({ answered, done }) {
  const ofBoth = [answered, done].map(({ median, p90 }) => `${median.toFixed(0)} ms (p90 ${p90.toFixed(0)})`);
  console.log(
    `drwn card dev, from a save: its answer after ${ofBoth[0]}, its cases after ${ofBoth[1]}; at most ${MOST_MS}`,
  );
}

const DENIED = /^guard: deny: /u;
/** Said last. */
const PASSED = /^ok {2}guard: 2 cases, 2 passed$/u;

async function waitFor(lines, wanted) {
  const seen = [];
  for (;;) {
    const { value, done } = await lines.next();
    seen.push(value);
    if (done || /error|FAIL/u.test(value)) throw new Error(`card dev:\n${seen.join("\n")}`);
    if (wanted.test(value)) return;
  }
}
