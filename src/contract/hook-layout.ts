/**
 * The places below DRWN_HOME that a tool call needs. They are apart because Node compiles each function here before the
 * hook runs. `layout.ts` has these and all others.
 */
export const hookLayout = {
  ledgers: (home: string) => `${home}/ledger`,
  ledger: (home: string, key: string) => `${home}/ledger/${key}.json`,
  project: (home: string, key: string) => `${home}/projects/${key}`,
  plan: (home: string, key: string, digest: string) => `${home}/projects/${key}/plan-${digest}.json`,
  bundle: (home: string, key: string, digest: string) => `${home}/projects/${key}/bundles/${digest}.cjs`,
  /** Compiled policies of a large plan that want the same tools, in one file. */
  shard: (home: string, key: string, digest: string) => `${home}/projects/${key}/shards/${digest}.cjs`,
  /**
   * V8's cached code of a plan's shards for one set of flags, in a folder where the process that runs policies cannot
   * write.
   */
  shardCache: (home: string, plan: string, kind: string) => `${home}/bin/plan-${plan}.${kind}`,
  /** How often a person's exception let a call through: the size of the file. */
  exceptionUses: (home: string, key: string, id: string) => `${home}/projects/${key}/exception-${id}`,
  journal: (home: string, key: string) => `${home}/projects/${key}/journal.jsonl`,
  /** If it exists, a person wants no inputs of tools in the journal, not even those of denied calls. */
  journalWithoutInputs: (home: string, key: string) => `${home}/projects/${key}/journal.no-inputs`,
} as const;
