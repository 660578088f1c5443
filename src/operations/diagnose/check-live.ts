import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { allTargets } from "../../agents/targets.ts";
import { removeTree } from "../../kernel/atomic.ts";
import type { Finding } from "../../kernel/finding.ts";
import type { Host } from "../../kernel/host.ts";
import { clean } from "../../kernel/text.ts";
import type { Runtime } from "../../policy/event.ts";
import type { LiveRequest, LiveRun } from "../../wiring/target.ts";
import { editSource } from "../author/edit-source.ts";
import { newCard } from "../author/new-card.ts";
import { publishCard } from "../author/publish.ts";
import { addCards } from "../project/add.ts";
import { initProject } from "../project/init.ts";
import { grantConsent, reviewConsent } from "../project/trust.ts";
import { writeProject } from "../project/write.ts";

export interface LiveCheck {
  runtime: Runtime;
  /** `stopped`: the agent didn't make the call that a policy denied, and made the one that none denied. */
  outcome: "stopped" | "not-stopped" | "not-told" | "not-installed" | "cannot-run";
  /** What was done, or why nothing was, for a person. */
  ran: string;
}

/**
 * Runs the installed agents on a canary: a throwaway home and project, a card that denies one of two commands, and a
 * model, played by this process, that asks for both. It reads and writes nothing of the user's, and uses no network.
 */
export async function checkLive(host: Host): Promise<{ live: LiveCheck[]; findings: Finding[] }> {
  const live: LiveCheck[] = [];
  for (const target of allTargets()) {
    if ("cannot" in target.live) {
      live.push({ runtime: target.runtime, outcome: "cannot-run", ran: target.live.cannot });
      continue;
    }
    host.progress(`running ${target.runtime} on a canary`);
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-live-")));
    try {
      live.push(await checkAgent(host, { runtime: target.runtime, run: target.live.run, folder }));
    } finally {
      removeTree(folder);
    }
  }
  return { live, findings: live.flatMap(toFinding) };
}

interface Canary {
  runtime: Runtime;
  run(request: LiveRequest): Promise<LiveRun>;
  folder: string;
}

async function checkAgent(host: Host, { runtime, run, folder }: Canary): Promise<LiveCheck> {
  const canary = makeHost(host, folder);
  await guard(canary, runtime);
  const { home, cwd: project, env } = canary;
  const ended = await run({ env, home, project, commands: [`touch ${ALLOWED}`, `touch ${DENIED}`] });
  if (ended.state === "not-installed") return { runtime, outcome: "not-installed", ran: "it is not on PATH" };
  const ran = `one turn of ${runtime} in a folder of its own, with a model on 127.0.0.1 that asked for two commands`;
  if (fs.existsSync(path.join(project, DENIED))) return { runtime, outcome: "not-stopped", ran };
  if (fs.existsSync(path.join(project, ALLOWED))) return { runtime, outcome: "stopped", ran };
  return { runtime, outcome: "not-told", ran: `${ran}; it made neither: ${clean(ended.said, 500)}` };
}

const ALLOWED = "allowed-by-drwn.txt";
const DENIED = "denied-by-drwn.txt";
const CARD = "@drwn-live/canary";

const POLICY = `import { defineToolPolicy } from "darwinian-minds/hook-policy";

export default defineToolPolicy({
  policyKind: "enforcement",
  beforeToolCall: (event) =>
    JSON.stringify(event.input).includes("${DENIED}") ? { action: "deny", reason: "a canary of drwn" } : undefined,
});
`;

function makeHost(host: Host, folder: string): Host {
  const home = path.join(folder, "home");
  const cwd = path.join(folder, "project");
  for (const place of [home, cwd]) fs.mkdirSync(place, { mode: 0o700 });
  const env = { PATH: host.env["PATH"], HOME: home };
  return {
    ...host,
    cwd,
    home,
    drwnHome: path.join(home, ".agents", "drwn"),
    env,
    isAtTerminal: false,
    progress: () => {},
  };
}

/** Does everything that a user does, from the source to the entry in the agent's settings. */
async function guard(canary: Host, runtime: Runtime): Promise<void> {
  const { path: source } = await newCard(canary, { name: CARD });
  editSource(canary, CARD, { add: "hook", name: "canary", template: "hook", dryRun: false });
  fs.writeFileSync(path.join(source, "hooks", "canary", "policy.ts"), POLICY);
  await publishCard(canary, { source: CARD, key: null, dryRun: false });
  initProject(canary);
  await addCards(canary, [CARD]);
  await grantConsent(canary, reviewConsent(canary, { card: CARD, range: null }));
  await writeProject(canary, { wiring: "user", runtimes: [runtime] });
}

function toFinding({ runtime, outcome, ran }: LiveCheck): Finding[] {
  const of = { subject: runtime, hint: null };
  if (outcome === "not-stopped") {
    const message = `a call that a policy denied was still made: ${ran}`;
    return [{ ...of, code: "deny-not-heeded", severity: "error", message }];
  }
  if (outcome !== "not-told") return [];
  const message = `drwn could not try whether a deny stops a call: ${ran}`;
  return [{ ...of, code: "live-not-told", severity: "warning", message }];
}
