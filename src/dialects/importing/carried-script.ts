import fs from "node:fs";
import path from "node:path";
import { readPlainFile } from "../../card/archive/tree.ts";
import { isInterpreter, LONGEST_SCRIPT } from "../../card/compiler/handler-module.ts";
import { clean } from "../../kernel/text.ts";

/** A script that can be part of a card, and the program that runs it. */
export interface CarriedScript {
  command: string;
  /** The options that its first line gives that program. */
  options?: string[];
  /** The name of its file. */
  name: string;
  text: string;
  /** What the script may lack in a card. */
  notes: string[];
}

/** How scripts name the place where they are. A script in a card has no such place. */
const PLACE = /\$(?:0|\{0|BASH_SOURCE|\{BASH_SOURCE)|ARAWN_PLUGIN_DIR|CLAUDE_PLUGIN_ROOT|__file__|__dirname|__FILE__/u;
const SHEBANG = /^#!\s*((?:\/usr)?\/bin\/env\s+(-S\s+)?)?(\S+)(?:[ \t]+(.+?))?\s*$/u;

/** The folders where every machine has the same interpreters, of which any will do. */
const USUAL = /^(?:(?:\/usr(?:\/local)?)?\/bin\/)?[^/]+$/u;

export function isUsualPlace(program: string): boolean {
  return USUAL.test(program);
}

const SHELLS = /^(?:ba|da|k|z)?sh$/u;

/** Options that mean the same when an interpreter gets the script as an argument. */
const OPTIONS: readonly [interpreter: RegExp, options: RegExp][] = [
  [SHELLS, /^-[abefuvxCE]*(?:[abefuvxCE]|o [a-z]+)$/u],
  [/^python3?$/u, /^-[bBEIOsSuv]+$/u],
  [/^perl$/u, /^-[wWtT]+$/u],
  [/^ruby$/u, /^-w$/u],
];

/**
 * Reads a script for a card, or says why it cannot be in one. `interpreter` is the program that was told to run it, if
 * any.
 */
export function carryScript(place: CarriedFileLocation, interpreter?: string): CarriedScript | { why: string } {
  const bytes = readCarried(place, { noun: "file", maximumBytes: LONGEST_SCRIPT });
  if ("why" in bytes) return bytes;
  const file = clean(place.file);
  const text = bytes.toString("utf8");
  if (text.includes("\0") || !Buffer.from(text).equals(bytes)) return { why: `${file} isn't a script` };
  const first = text.split("\n", 1)[0] ?? "";
  const { named, options, isSplit } = readShebang(first);
  const command = interpreter ?? path.posix.basename(named);
  if (command === "") return { why: `the first line of ${file} doesn't say what runs it` };
  if (interpreter === undefined && first.endsWith("\r")) {
    return {
      why: `the first line of ${file} ends with a carriage return, so nothing starts it; save it with LF line ends`,
    };
  }
  if (!isInterpreter(command)) return { why: `${file} is run by ${command}, and no card carries scripts for that` };
  const carried = interpreter === undefined ? carriedOptions(command, options, isSplit) : [];
  if (carried === undefined) {
    return {
      why: `the first line of ${file} gives ${command} the options \`${options}\`; put them into the script${SHELLS.test(command) ? ` (\`set ${options}\`)` : ""}`,
    };
  }
  const notes = [
    ...(PLACE.test(text) ? ["its script looks for the place where it is, and in a card it has none"] : []),
    ...(interpreter === undefined && !isExecutable(place.file)
      ? [
          `its script runs in a card, although its file cannot be started: it isn't executable (chmod +x ${fileName(place.file)})`,
        ]
      : []),
    ...(interpreter === undefined && !isUsualPlace(named)
      ? [`its first line names \`${clean(named, 200)}\`; in a card the first \`${command}\` that is found runs it`]
      : []),
    ...filesNamedIn(text).map(noteOnNamedFile),
  ];
  return {
    command,
    ...(carried.length === 0 ? {} : { options: carried }),
    name: fileName(place.file),
    text,
    notes,
  };
}

interface Shebang {
  named: string;
  /** Empty: there are none. */
  options: string;
  /** Whether each option is a separate word. Otherwise no system but macOS takes more than one. */
  isSplit: boolean;
}

function readShebang(line: string): Shebang {
  const [, env, split, named = "", options = ""] = SHEBANG.exec(line) ?? [];
  return { named, options, isSplit: split !== undefined || (env === undefined && !/\s/u.test(options)) };
}

/** The options as words; undefined: they would mean something else, or keep the script from starting. */
function carriedOptions(command: string, options: string, isSplit: boolean): string[] | undefined {
  if (options === "") return [];
  const known = OPTIONS.find(([interpreter]) => interpreter.test(command))?.[1];
  return isSplit && known?.test(options) === true ? options.split(" ") : undefined;
}

/** Whether anybody may execute it: the person who imports it may not be the one who runs it. */
function isExecutable(file: string): boolean {
  return (fs.statSync(file).mode & 0o111) !== 0;
}

/**
 * Files in a hook's folder that mean something to drwn or to what it packs with, also on file systems that ignore case.
 */
const MEANT = /^(?:(?:handler|imported)\.json|policy\..*|readme(?:\..*)?|package\.json|tsconfig\.json)$/iu;

/** A name that a handler.json accepts and that no other file of the hook has. */
function fileName(file: string): string {
  const plain = path
    .basename(file)
    .replace(/[^\w.-]/gu, "-")
    .replace(/^[.-]+/u, "");
  if (plain === "") return "script";
  return MEANT.test(plain) ? `script-${plain}` : plain;
}

interface CarriedFileLocation {
  /** The folder that is imported: nothing from elsewhere on the machine goes into a card. */
  root: string;
  /** Absolute, as its owner names it. */
  file: string;
}

interface Allowed {
  /** What it should be, in words for a person. */
  noun: string;
  maximumBytes: number;
}

/**
 * The bytes of a regular file that really is below `root`, whatever links lead there; otherwise the reason why it
 * doesn't go into a card.
 */
export function readCarried(
  { root, file }: CarriedFileLocation,
  { noun, maximumBytes }: Allowed,
): Buffer | { why: string } {
  const bound = realPath(root);
  const real = realPath(file);
  const absent = { why: `there is no ${noun} ${clean(file)} that can be read` };
  if (bound === undefined || real === undefined) return absent;
  if (!real.startsWith(bound.endsWith(path.sep) ? bound : `${bound}${path.sep}`)) {
    return {
      why: `the ${noun} ${clean(file)} is outside ${clean(root)}, and nothing from there is put into a card`,
    };
  }
  const bytes = readPlainFile(real, maximumBytes);
  if (bytes === undefined) return absent;
  return bytes === "too-large" ? { why: `${clean(file)} is longer than ${maximumBytes} bytes` } : bytes;
}

function realPath(file: string): string | undefined {
  try {
    return fs.realpathSync(file);
  } catch {
    return undefined;
  }
}

/** Folders of programs that every machine has, and of devices. */
const SYSTEM = /^\/(?:dev|proc|(?:usr\/(?:local\/)?)?s?bin)\//u;
const PATH = /^\$?[\w@.~-]*(?:\/[\w@.+-]+)+$/u;
const SCRIPT = /^[\w@-][\w@.-]*\.(?:bash|c?js|mjs|pl|py|rb|sh|ts|zsh)$/u;
/** The substitutions of sed and perl, such as `s/a/b/g`. */
const SUBSTITUTION = /^[sy]\/.*\/[a-z]*$/u;

const MOST = 5;

/** Words in a line of shell or a script that look like files of the machine, in its project or elsewhere. */
export function filesNamedIn(text: string): string[] {
  const words = text.replace(/\$\{(\w+)\}/gu, "$$$1").split(/[\s"'`(){}<>|;&=,[\]]+/u);
  const named = words.filter((word) => (PATH.test(word) || SCRIPT.test(word)) && !SYSTEM.test(word));
  return [...new Set(named)].filter((word) => !SUBSTITUTION.test(word)).slice(0, MOST);
}

/** Consent covers the text that names the file, but not the file's content. */
export function noteOnNamedFile(file: string): string {
  return `it names \`${clean(file, 200)}\`, which does not come with the card: what is there when it runs counts`;
}
