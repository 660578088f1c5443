import { hookLayout } from "./hook-layout.ts";

/**
 * Every place below DRWN_HOME: the CLI wing writes them, the runtime wing reads them. The launcher
 * (`templates/launcher.sh`) uses the same names for `roots/`, `inodes/` and `bin/`, and in a project's folder for
 * `confined` and `journal.inputs`.
 */
export const layout = {
  ...hookLayout,

  launcher: (home: string) => `${home}/bin/hook`,
  hook: (home: string) => `${home}/bin/hook.cjs`,
  hookProgram: (home: string, name: string) => `${home}/bin/${name}`,

  /** One line, the project's key. `root` is absolute, so the tree below `roots/` mirrors the disk. */
  marker: (home: string, root: string) => `${home}/roots${root === "/" ? "" : root}/${MARKER_NAME}`,
  roots: (home: string) => `${home}/roots`,
  /** Named by the inode of the project's folder. Two lines: its key, and the path where a person consented. */
  inodeRecord: (home: string, inode: string) => `${home}/inodes/${inode}`,
  inodes: (home: string) => `${home}/inodes`,
  /** What a user asks for in every folder, laid out like a project; and the record by which the launcher finds it. */
  global: (home: string) => `${home}/global`,
  globalRecord: (home: string) => `${home}/inodes/global`,
  /** Every change to the consents in the ledger; append-only. */
  consentLog: (home: string, key: string) => `${home}/ledger/${key}.log.jsonl`,

  projects: (home: string) => `${home}/projects`,
  /** What a command that changes several files is about to write into them. */
  intent: (home: string, key: string) => `${home}/projects/${key}/intent.json`,
  /** If it exists, a person wants the inputs of all calls in the journal, not only those of denied and asked ones. */
  journalInputs: (home: string, key: string) => `${home}/projects/${key}/journal.inputs`,
  /** Which of the project's requirements were met at the last `write`. */
  requirements: (home: string, key: string) => `${home}/projects/${key}/requirements.json`,
  /**
   * If it exists, one process without authority can run all policies, with the CPU limit in it. The launcher obeys it.
   */
  confined: (home: string, key: string) => `${home}/projects/${key}/confined`,
  /** Its size is how often in a row hooks have kept one turn of a session going. */
  turn: (home: string, key: string, session: string) => `${home}/projects/${key}/turn-${session}`,
  /** The same for a session whose hooks `drwn hook run --dialect arawn` asks. */
  keptGoing: (home: string, session: string) => `${home}/turns/${session}`,
  /** What `write` put into the project and into the agents' settings, so that `uninstall` can take it out again. */
  written: (home: string, key: string) => `${home}/projects/${key}/written.json`,
  /** What agents answered when drwn asked them what they loaded. */
  agentAnswers: (home: string, key: string) => `${home}/projects/${key}/agent-answers.json`,
  wiring: (home: string) => `${home}/wiring.json`,

  /** The last report that a person asked for. */
  report: (home: string) => `${home}/report.html`,
  store: (home: string) => `${home}/store`,
  /** Copies of git repositories, by the digest of their address. drwn makes them again if they are missing. */
  git: (home: string) => `${home}/git`,
  /** The highest version of a card that a registry has listed. */
  seen: (home: string, key: string) => `${home}/seen/${key}.json`,
  /** When this machine first saw a card's content, and whether it was yanked. */
  release: (home: string, tree: string) => `${home}/releases/${tree}.json`,
  /** How the user likes drwn to work; the hook never reads it. */
  preferences: (home: string) => `${home}/preferences.json`,
  /** The user's settings. */
  settings: (home: string) => `${home}/config.json`,
  /** Every change to how this machine takes consents; append-only. */
  settingsLog: (home: string) => `${home}/config.log.jsonl`,
  /** Signatures of a stored tree, one for each publisher who signed it. */
  signatures: (home: string, tree: string) => `${home}/signatures/${tree}`,
  /** The user's own signing keys, one for each scope. */
  ownKeys: (home: string) => `${home}/keys/own`,
  ownKey: (home: string, scope: string) => `${home}/keys/own/${scope}.json`,
  /** The key that each card comes with, and the keys that a person has entered. */
  pins: (home: string) => `${home}/keys/pins.json`,
  registry: (home: string) => `${home}/registry`,
  sources: (home: string) => `${home}/sources`,
  sourceList: (home: string) => `${home}/sources.json`,
  locks: (home: string) => `${home}/locks`,
  lock: (home: string, name: string) => `${home}/locks/${name}.lock`,

  /**
   * What only drwn made and needs. Keys, sources, published cards and the user's settings are left out, since they are
   * somebody's work.
   */
  purgeable: (home: string) =>
    [
      "roots",
      "inodes",
      "bin",
      "projects",
      "turns",
      "global",
      "store",
      "git",
      "seen",
      "releases",
      "signatures",
      "report.html",
      "wiring.json",
      "ledger",
    ].map((name) => `${home}/${name}`),
} as const;

export const MARKER_NAME = ".drwn-project";
