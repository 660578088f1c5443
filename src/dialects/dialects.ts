/** Another hook system whose policies drwn runs as they are. */
export interface Dialect {
  name: string;
  /** Its hook process, in the package: what `bin/drwn.js` starts without loading the rest. */
  program: string;
}

/** Every dialect is one line here. */
export const DIALECTS: readonly Dialect[] = [{ name: "hooker", program: "dist/runtime/dialects/hooker.cjs" }];
