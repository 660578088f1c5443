import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));
const GATE = "hooker dialect, a gate";
const NO_MATCH = "hooker dialect, no match";
const POLICIES = `policy "No force push" do
  on :PreToolUse, tool: "Bash", match: :git_push_force
  gate "Force push is not allowed."
end
`;

/**
 * An event through `drwn hook run --dialect hooker` as `drwn hooker doctor` says how to wire it, beside hooker itself where
 * HOOKER_HOME names its checkout.
 * @param {string} folder
 * @param {Record<string, string | undefined>} env
 */
export function hookerRows(folder, env) {
  const cwd = path.join(folder, "hooker");
  const file = path.join(cwd, ".claude/policies.rb");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, POLICIES);
  const home = { HOME: cwd, DRWN_HOME: path.join(cwd, "drwn") };
  const at = (name, program, args, command) => ({ name, program, args, cwd, env: home, stdin: eventIn(cwd, command) });
  const wired = [path.join(PACKAGE, "dist/systems/hooker.cjs")];
  const typed = [path.join(PACKAGE, "bin/drwn.js"), "hook", "run", "--dialect", "hooker"];
  let edits = 0;
  const edit = () => fs.writeFileSync(file, `# ${edits++}\n${POLICIES}`);
  return [
    { ...at(NO_MATCH, process.execPath, wired, "ls"), target: { ratio: 1.35 }, fault: isSilent },
    { ...at(GATE, process.execPath, wired, "git push -f"), target: { ratio: 1.35 }, fault: isBlocked },
    { ...at("hooker dialect, typed", process.execPath, typed, "ls"), fault: isSilent, every: 4 },
    {
      ...at("hooker dialect, after an edit", process.execPath, wired, "ls"),
      target: { more: 200, than: NO_MATCH },
      prepare: edit,
      fault: isSilent,
      every: 4,
    },
    ...hookerItself(env, (program, args) => at("hooker itself, a gate", program, args, "git push -f")),
  ];
}

function hookerItself({ HOOKER_HOME: home }, at) {
  if (!home || spawnSync("ruby", ["-v"]).status !== 0) return [];
  const row = at("ruby", [path.join(home, "bin/hooker")]);
  return [{ ...row, rival: { most: 0.6, ours: GATE }, fault: isBlocked }];
}

function eventIn(cwd, command) {
  return JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd });
}

function isSilent({ stdout, status }) {
  return status === 0 && stdout === "" ? undefined : `not silent, exit code ${status}`;
}

function isBlocked({ stdout }) {
  return stdout.includes("Force push is not allowed.") ? undefined : "the gate did not close";
}
