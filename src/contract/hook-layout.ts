/**
 * What a tool call waits for, below DRWN_HOME: every name here is a function that Node compiles before the hook runs. The rest is in
 * `layout.ts`, which has these, too.
 */
export const hookLayout = {
  ledgers: (home: string) => `${home}/ledger`,
  ledger: (home: string, key: string) => `${home}/ledger/${key}.json`,
  project: (home: string, key: string) => `${home}/projects/${key}`,
  plan: (home: string, key: string, digest: string) => `${home}/projects/${key}/plan-${digest}.json`,
  bundle: (home: string, key: string, digest: string) => `${home}/projects/${key}/bundles/${digest}.cjs`,
  /** Compiled policies of a large plan that want the same tools, in one file. */
  shard: (home: string, key: string, digest: string) => `${home}/projects/${key}/shards/${digest}.cjs`,
  /** What V8 keeps of a plan's shards for one set of its flags. It lies where the process that runs policies cannot write. */
  keptShards: (home: string, plan: string, kind: string) => `${home}/bin/plan-${plan}.${kind}`,
  /** How often a person's exception let a call through: the size of the file. */
  exceptionUses: (home: string, key: string, id: string) => `${home}/projects/${key}/exception-${id}`,
  journal: (home: string, key: string) => `${home}/projects/${key}/journal.jsonl`,
  /** Ids of calls that were denied lately, one on each line: the launcher looks among them for the call that an event after it is about. */
  denied: (home: string, key: string) => `${home}/projects/${key}/denied`,
  /** The first digits of the hash of every line of the journal: what is missing from its end is found by them. */
  seals: (home: string, key: string) => `${home}/projects/${key}/journal.seals`,
} as const;
