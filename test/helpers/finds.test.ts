import fc from "fast-check";
import { expect, test } from "vitest";
import { finds } from "../../src/helpers/pattern/finds.ts";

const PLAIN = String.raw`git hub \bgo\b az\b \bdd my\.cnf \/dev\/ a\|b & > it\. -R\b TcpClient HOME of= s k`;
const OTHERS = String.raw`\/dev\/(?:tcp|udp) z(?:pool|fs) [*?|] \| \d \.\s ^cd sh$ (a) (?<n>b) x(?=y|z) (?!q)r \( \[ [(] [^|a]b \\ a{2} \bé é \B- (?:a|(?:b|c))d (?:) (a)\1`;
const ALTERNATIVES = [...PLAIN.split(" "), ...OTHERS.split(" "), ""];
const TEXTS = [
  ..."git,hub,go,goal,ago,az,azure,dd,add,my.cnf,/dev/udp,zfs,*,|,a|b,&,>,7,. ,it.,-R,-Rx,tcpclient,home,HOME".split(
    ",",
  ),
];
const MORE = ["cd", "sh", "xy", "xq", "qr", "(", "[", "\\", "aa", "é", "É", "ſ", "K", "bd", " ", "_", "\n", ""];

const patterns = fc
  .tuple(
    fc.array(fc.constantFrom(...ALTERNATIVES), { minLength: 1, maxLength: 6 }),
    fc.constantFrom("", "i", "u", "iu"),
  )
  .filter(([parts, flags]) => isPattern(parts.join("|"), flags))
  .map(([parts, flags]) => new RegExp(parts.join("|"), flags));
const texts = fc.array(fc.constantFrom(...TEXTS, ...MORE), { maxLength: 6 }).map((parts) => parts.join(""));

function isPattern(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

test("a pattern that is asked in parts finds what it finds as a whole", () => {
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      expect(finds(pattern, text)).toBe(pattern.test(text));
    }),
    { numRuns: 3000 },
  );
});
