/**
 * The text of a compiled policy that uses much of the SDK begins with the whole SDK, which is the same in every such
 * policy. So each policy is complete, and a plan needs the SDK only once.
 */
export const SDK_MODULE = "drwn:sdk";

const BEGIN = `"use strict";var require=((require,load)=>{let sdk;return(name)=>name==="${SDK_MODULE}"?sdk??=load(require):require(name)})(require,`;
/** The SDK's text doesn't contain it, so its first occurrence is the end. */
const END = `/*${SDK_MODULE}*/);`;

/**
 * The text before a policy's own code. `shared` is an expression for a function that takes a `require` and returns the
 * SDK.
 */
export function sdkBannerOf(shared: string): string {
  return `${BEGIN}${shared}${END}`;
}

/**
 * The SDK that a compiled policy brings, and its own code; null: its own code contains the parts of the SDK that it
 * needs.
 */
export function splitSdk(code: string): { shared: string; own: string } | null {
  if (!code.startsWith(BEGIN)) return null;
  const end = code.indexOf(END);
  if (end < 0) return null;
  return { shared: code.slice(BEGIN.length, end), own: `"use strict";${code.slice(end + END.length)}` };
}
