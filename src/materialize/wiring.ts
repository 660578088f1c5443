import { layout } from "../contract/layout.ts";
import { formatJson } from "../format/write.ts";
import { type Change, planFile } from "./changes.ts";
import { hookCommand, isHookCommand } from "./launcher.ts";
import { planWiring, type WiringEntry } from "./targets/claude-wiring.ts";
import { AGENT_TIMEOUT_SECONDS, type WantingPolicy, wantedEntries } from "./wanted.ts";
import { readWiring } from "./written.ts";

/** One settings file of the agent, and what it has to carry for drwn. */
export interface WiredFile {
  settingsFile: string;
  /** The folder that the settings file must not lead out of. */
  root: string;
  /** Every policy whose events this file has to ask for; none: nothing of ours belongs there. */
  policies: readonly WantingPolicy[];
}

export interface Wired {
  /**
   * What was done to which file. It is written before the files: of a change that was never made it says no harm, but a
   * change without it could not be undone.
   */
  records: Change[];
  settings: Change[];
}

/** The entries for drwn in settings files of Claude Code. */
export function planClaudeWiring(home: string, wired: readonly WiredFile[]): Wired {
  const files = { ...readWiring(home).files };
  const settings: Change[] = [];
  for (const { settingsFile, root, policies } of wired) {
    const { change, record } = planWiring({
      settingsFile,
      root,
      entries: desiredEntries(home, policies),
      isOurs: (command) => isHookCommand(command, home),
      record: files[settingsFile],
    });
    if (change === undefined) continue;
    settings.push(change);
    // The record of a file that loses its last entry stays until the next change: it is what undoes a half-made one.
    if (record !== undefined) files[settingsFile] = record;
  }
  if (settings.length === 0) return { records: [], settings };
  const after = Buffer.from(formatJson({ version: 1, files }));
  const note = planFile({ path: layout.wiring(home), after, what: "record of what was wired", mode: 0o600 });
  return { records: note === undefined ? [] : [note], settings };
}

function desiredEntries(home: string, policies: readonly WantingPolicy[]): WiringEntry[] {
  return wantedEntries(policies).map(({ event, phase, matcher }) => ({
    event,
    matcher,
    command: hookCommand({ home, runtime: "claude-code", phase }),
    timeout: AGENT_TIMEOUT_SECONDS,
    ...(phase === "pre" ? { onFailure: "block" as const } : {}),
  }));
}
