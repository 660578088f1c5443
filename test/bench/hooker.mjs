// An event through `drwn hook run --dialect hooker`, as ratios to `node -e 0` and to hooker itself: node test/bench/hooker.mjs [rounds]
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const rounds = Number(process.argv[2] ?? 40);
const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-bench-")));
fs.mkdirSync(path.join(base, ".claude"));
const file = path.join(base, ".claude/policies.rb");
const policies = `policy "No force push" do
  on :PreToolUse, tool: "Bash", match: :git_push_force
  gate "Force push is not allowed."
end
`;
fs.writeFileSync(file, policies);

const package_ = path.resolve(import.meta.dirname, "../..");
const env = { PATH: process.env.PATH, HOME: base, DRWN_HOME: path.join(base, "drwn") };
const event = (command) =>
  JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd: base });
const direct = [process.execPath, path.join(package_, "dist/runtime/dialects/hooker.cjs")];
const typed = [process.execPath, path.join(package_, "bin/drwn.js"), "hook", "run", "--dialect", "hooker"];
const hooker = process.env.HOOKER_HOME && ["ruby", path.join(process.env.HOOKER_HOME, "bin/hooker")];

const rows = [
  { name: "node -e 0", command: [process.execPath, "-e", "0"], input: "" },
  { name: "hooker.cjs, no match", command: direct, input: event("ls") },
  { name: "hooker.cjs, gate", command: direct, input: event("git push -f") },
  { name: "drwn hook run, no match", command: typed, input: event("ls") },
  { name: "drwn hook run, gate", command: typed, input: event("git push -f") },
  { name: "after an edit", command: direct, input: event("ls"), prepare: edit },
  ...(hooker ? [{ name: "hooker, gate", command: hooker, input: event("git push -f") }] : []),
];

function edit(round) {
  fs.writeFileSync(file, `# ${round}\n${policies}`);
}

const best = new Map(rows.map(({ name }) => [name, Number.POSITIVE_INFINITY]));
for (let round = -2; round < rounds; round++) {
  for (const { name, command, input, prepare } of rows) {
    prepare?.(round);
    const start = performance.now();
    spawnSync(command[0], command.slice(1), { cwd: base, env, input });
    const wall = performance.now() - start;
    if (prepare) fs.writeFileSync(file, policies);
    if (round >= 0) best.set(name, Math.min(best.get(name), wall));
  }
}
fs.rmSync(base, { recursive: true });

for (const [name, wall] of best) {
  console.log(`${name.padEnd(26)} ${wall.toFixed(1)} ms  ${(wall / best.get("node -e 0")).toFixed(2)}`);
}
if (!hooker) console.log("hooker itself: skipped, HOOKER_HOME names no checkout");
