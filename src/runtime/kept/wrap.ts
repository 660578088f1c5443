/** The program's name in stack traces. With a path the kept code would differ from home to home. */
export const NAME = "drwn-hook";

/** A hook program in the form in which Node's own loader has V8 compile it. */
export function wrapProgram(text: string): string {
  return `(function (exports, require, module, __filename, __dirname) { ${text}\n})`;
}

/**
 * Identifies the build of Node. V8 compares its version and flags, but before Node 22 it doesn't tell apart two builds
 * of one version.
 */
export function lineOfNode(): string {
  return `${process.version} ${process.arch} ${JSON.stringify(process.config.variables)}\n`;
}
