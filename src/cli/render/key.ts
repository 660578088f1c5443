import type { exportKey } from "../../operations/machine/keys.ts";
import type { CommandAnswer } from "../terminal/answer.ts";

/** A key as others enter it, or its secret file, as a build machine needs it. */
export function answerKey({ keyFile, ...key }: ReturnType<typeof exportKey>): CommandAnswer {
  if (keyFile === null) return { json: key, print: ({ out }) => out(key.publisher) };
  return {
    json: JSON.parse(keyFile),
    print: ({ out, talk, style }) => {
      talk(`${style.warn("secret:")} whoever has this file publishes as ${key.scope}. Keep it with: chmod 600`);
      out(keyFile.trimEnd());
    },
  };
}
