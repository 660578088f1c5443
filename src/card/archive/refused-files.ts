import type { ProblemCode } from "../../kernel/codes.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";

const REFUSED: readonly { pattern: RegExp; why: string }[] = [
  { pattern: /^\./u, why: "hidden files are not packed: they hold settings and secrets" },
  { pattern: /^node_modules$/iu, why: "a card cannot bring packages" },
  { pattern: /^binding\.gyp$/iu, why: "an npm client would compile it" },
  { pattern: /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|env)$/iu, why: "it is named like a secret" },
  { pattern: /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:\..*)?$/iu, why: "it is named like a secret key" },
];

/** Operating systems and editors leave these files; nobody wants to pack them. */
const LITTER = /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\.gitkeep|.*~|\..*\.sw[op])$/u;

export function isLitter(name: string): boolean {
  return LITTER.test(name);
}

/** Refuses, by their names, files that a card must not carry: secrets, packages, and what other tools would act on. */
export function checkFileNames(paths: Iterable<string>, code: ProblemCode): void {
  for (const path of paths) {
    for (const name of path.split("/")) {
      const refused = REFUSED.find(({ pattern }) => pattern.test(name));
      if (refused === undefined) continue;
      throw new Problem(code, `a card cannot hold \`${clean(path)}\`: ${refused.why}`);
    }
  }
}
