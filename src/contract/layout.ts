import { hookLayout } from "./hook-layout.ts";

/**
 * Every place below DRWN_HOME: the CLI wing writes it, the runtime wing reads it.
 * The launcher (`templates/launcher.sh`) knows `roots/`, `places/` and `bin/` by the same names, and of a project `confined`, `unheard`, `denied`, `journal.inputs` and `event-<number>`.
 */
export const layout = {
  ...hookLayout,

  launcher: (home: string) => `${home}/bin/hook`,
  hook: (home: string) => `${home}/bin/hook.cjs`,
  hookProgram: (home: string, name: string) => `${home}/bin/${name}`,

  /** What the launcher does where hook processes are started before calls: where the folder `warm` is. */
  warmProgram: (home: string) => `${home}/bin/warm`,
  warm: (home: string) => `${home}/warm`,
  /** By which the launcher finds the process that waits for a call of this project, in the place of this number. */
  ready: (home: string, key: string, place: string) => `${home}/projects/${key}/ready-${place}`,
  /** Where an event lies on its way from one hook process to the next, by the number of their launcher. */
  event: (home: string, key: string, launcher: string) => `${home}/projects/${key}/event-${launcher}`,
  /** One line, the project's key. `root` is absolute, so the tree below `roots/` mirrors the disk. */
  marker: (home: string, root: string) => `${home}/roots${root === "/" ? "" : root}/${MARKER_NAME}`,
  roots: (home: string) => `${home}/roots`,
  /** By the number that the disk has for the project's folder: two lines, its key and the path where it was consented to. */
  place: (home: string, inode: string) => `${home}/places/${inode}`,
  places: (home: string) => `${home}/places`,
  /** The folder with what a user asks for in every folder, as a project has it; and the record by which the launcher finds that. */
  global: (home: string) => `${home}/global`,
  globalPlace: (home: string) => `${home}/places/global`,
  /** Every change of the ledger that concerns consent; only ever added to. */
  consentLog: (home: string, key: string) => `${home}/ledger/${key}.log.jsonl`,

  projects: (home: string) => `${home}/projects`,
  /** What a command that changes several files is about to make of them. */
  intent: (home: string, key: string) => `${home}/projects/${key}/intent.json`,
  /** Where it is, a person has asked for inputs in the journal. */
  journalInputs: (home: string, key: string) => `${home}/projects/${key}/journal.inputs`,
  /** Hashes of the lines of overruled calls that a person has seen. */
  overruledSeen: (home: string, key: string) => `${home}/projects/${key}/overruled.seen`,
  /** Which of the project's requirements were met at the last `write`. */
  requirements: (home: string, key: string) => `${home}/projects/${key}/requirements.json`,
  /** There: one process without authority can run all policies, for so many seconds of the processor; the launcher heeds it. */
  confined: (home: string, key: string) => `${home}/projects/${key}/confined`,
  /** There: no policy of a plan that needs more than one process looks at results. The note above says the same of every other plan. */
  unheard: (home: string, key: string) => `${home}/projects/${key}/unheard`,
  /** How often in a row hooks have kept one turn of a session going: the size of the file. */
  turn: (home: string, key: string, session: string) => `${home}/projects/${key}/turn-${session}`,
  /** The same of a session whose hooks `drwn hook run --dialect arawn` asks. */
  keptGoing: (home: string, session: string) => `${home}/turns/${session}`,
  /** What `write` put into the project and into the agents' settings, so that it can be taken out again. */
  written: (home: string, key: string) => `${home}/projects/${key}/written.json`,
  wiring: (home: string) => `${home}/wiring.json`,

  /** The page that a person asked for last. */
  report: (home: string) => `${home}/report.html`,
  store: (home: string) => `${home}/store`,
  /** Copies of git repositories, by the digest of their address; made again when they are gone. */
  git: (home: string) => `${home}/git`,
  /** The highest version of a card that a registry has listed. */
  seen: (home: string, key: string) => `${home}/seen/${key}.json`,
  /** When this machine saw a content of a card first, and whether it was yanked. */
  release: (home: string, tree: string) => `${home}/releases/${tree}.json`,
  /** How the user likes drwn to work; the hook never reads it. */
  preferences: (home: string) => `${home}/preferences.json`,
  /** The user's settings. */
  settings: (home: string) => `${home}/config.json`,
  /** Every change of how this machine takes consents; only ever added to. */
  settingsLog: (home: string) => `${home}/config.log.jsonl`,
  /** Signatures of a stored tree, one for each publisher who signed it. */
  signatures: (home: string, tree: string) => `${home}/signatures/${tree}`,
  /** The user's own signing keys, one for each scope. */
  ownKeys: (home: string) => `${home}/keys/own`,
  ownKey: (home: string, scope: string) => `${home}/keys/own/${scope}.json`,
  /** Which key each card comes with, and which keys a person has entered. */
  pins: (home: string) => `${home}/keys/pins.json`,
  /** Whose signed consents this machine takes. */
  signers: (home: string) => `${home}/keys/signers.json`,
  registry: (home: string) => `${home}/registry`,
  sources: (home: string) => `${home}/sources`,
  sourceList: (home: string) => `${home}/sources.json`,
  locks: (home: string) => `${home}/locks`,
  lock: (home: string, name: string) => `${home}/locks/${name}.lock`,

  /** What nobody but drwn made, or needs. Keys, sources, published cards and the user's settings are somebody's work. */
  purgeable: (home: string) =>
    [
      "roots",
      "places",
      "bin",
      "warm",
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
