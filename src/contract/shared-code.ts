/**
 * The text of a compiled policy that makes much use of the SDK begins with all of the SDK, the same in every such policy. So each is
 * whole by itself, and policies that lie in one plan have it once.
 */
export const SHARED_MODULE = "drwn:sdk";

const BEGIN = `"use strict";var require=((require,load)=>{let sdk;return(name)=>name==="${SHARED_MODULE}"?sdk??=load(require):require(name)})(require,`;
/** No text of ours has it: what comes first is the end. */
const END = `/*${SHARED_MODULE}*/);`;

/** What comes before a policy's own code. `shared` is an expression: a function that takes a `require` and returns the SDK. */
export function bannerOf(shared: string): string {
  return `${BEGIN}${shared}${END}`;
}

/** The SDK that a compiled policy brings, and its own code; null: it has only what it needs of it, in its own code. */
export function splitShared(code: string): { shared: string; own: string } | null {
  if (!code.startsWith(BEGIN)) return null;
  const end = code.indexOf(END);
  if (end < 0) return null;
  return { shared: code.slice(BEGIN.length, end), own: `"use strict";${code.slice(end + END.length)}` };
}
