/** What stack traces call it: what is kept would have a path in it, and differ from home to home. */
export const NAME = "drwn-hook";

/** A hook program as Node's own loader has V8 compile it. */
export function wrapProgram(text: string): string {
  return `(function (exports, require, module, __filename, __dirname) { ${text}\n})`;
}

/** V8 compares its version and flags, but before Node 22 nothing by which two builds of one version differ. */
export function lineOfNode(): string {
  return `${process.version} ${process.arch} ${JSON.stringify(process.config.variables)}\n`;
}
