import { Problem, type ProblemCode } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { CARD_LIMITS } from "./files.ts";

// Control and format characters (with bidirectional and zero-width marks), private use, surrogates, unassigned ones,
// line and paragraph separators, and the replacement character for bytes that weren't UTF-8.
const UNSAFE_CHARACTER = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\ufffd]/u;
const WINDOWS_CHARACTER = /[<>:"|?*]/u;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)(?:\..*)?$/iu;
const SHORT_ALIAS = /^[^.]{1,6}~\d+(?:\.[^.]{0,3})?$/u;

/** Refuses a path unless it is relative, portable and plain: it must mean the same file on every system. */
export function checkCardPath(path: string, code: ProblemCode = "DRWN_TARBALL_INVALID"): void {
  const fault = faultOfPath(path);
  if (fault === undefined) return;
  throw new Problem(code, `a card cannot hold the file \`${clean(path, 200)}\`: ${fault}`);
}

/** Checks every path, and that no two of them mean the same file on some system. */
export function checkCardPaths(paths: Iterable<string>, code: ProblemCode = "DRWN_TARBALL_INVALID"): void {
  const spellings = new Map<string, { spelling: string; isFile: boolean }>();
  for (const path of paths) {
    checkCardPath(path, code);
    const parts = path.split("/");
    parts.forEach((_, at) => {
      const spelling = parts.slice(0, at + 1).join("/");
      const isFile = at === parts.length - 1;
      const seen = spellings.get(foldPath(spelling));
      if (seen !== undefined && (isFile || seen.isFile || seen.spelling !== spelling)) {
        throw new Problem(code, `a card cannot hold both \`${clean(seen.spelling)}\` and \`${clean(spelling)}\``, {
          details: ["on some systems they are one file"],
        });
      }
      spellings.set(foldPath(spelling), { spelling, isFile });
    });
  }
}

/** Equal for paths that some file system takes for the same: it removes differences in Unicode composition and case. */
export function foldPath(path: string): string {
  return path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

function faultOfPath(path: string): string | undefined {
  if (path === "") return "the path is empty";
  if (Buffer.byteLength(path) > CARD_LIMITS.pathBytes) return `the path is longer than ${CARD_LIMITS.pathBytes} bytes`;
  if (path.startsWith("/")) return "the path is absolute";
  if (path.includes("\\")) return "the path has a backslash";
  if (UNSAFE_CHARACTER.test(path)) return "the path has a character that cannot be seen";
  if (WINDOWS_CHARACTER.test(path)) return 'the path has one of < > : " | ? *';
  const parts = path.split("/");
  if (parts.length > CARD_LIMITS.depth) return `the path is deeper than ${CARD_LIMITS.depth} folders`;
  for (const part of parts) {
    const fault = faultOfName(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfName(name: string): string | undefined {
  if (name === "") return "the path has an empty part";
  if (name === "." || name === "..") return `the path has a \`${name}\` part`;
  if (Buffer.byteLength(name) > CARD_LIMITS.nameBytes) return `a name is longer than ${CARD_LIMITS.nameBytes} bytes`;
  if (/[. ]$/u.test(name)) return "a name ends with a dot or a space";
  if (WINDOWS_DEVICE.test(name)) return "a name means a device on Windows";
  if (SHORT_ALIAS.test(name)) return "a name looks like a short alias on Windows";
  return undefined;
}
