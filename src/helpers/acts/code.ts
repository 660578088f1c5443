import { once } from "../pattern/once.ts";
import { oneOf } from "../pattern/one-of.ts";
import { READ_VARIABLE } from "./code-shows.ts";
import type { Code } from "./interpreters.ts";

/** A call in a text of code: its name, and the string literals in its parentheses. */
export interface CodeCall {
  /** As it is written: `shutil.rmtree`, `fs.rmSync`; `.unlink` on the result of another call. */
  name: string;
  literals: string[];
  /** The literals of the call on whose result it is called: `"x"` for `.unlink` in `Path("x").unlink()`. */
  receiver: string[];
}

const HOMES = () =>
  /Path\.home\(\)|os\.UserHomeDir\(\)|(?:os\.|require\(["'](?:node:)?os["']\)\.)homedir\(\)|\bhomedir\(\)|Dir\.home(?:dir)?|System\.user_home!?(?:\(\))?|System\.getProperty\(["']user\.home["']\)|(?:os\.path\.|path\.)?expand_?user\(["']~["']\)/gu;
/** `${homedir()}/x`, `"#{Dir.home}/x"`: a text around the expression goes on behind it. */
const IN_TEXT = () => /[#$]?\{\s*"~"\s*\}|\$\(\s*"~"\s*\)/gu;
/** `"rm -rf $ENV{HOME}"`: Perl and PHP read the environment inside a text. */
const INTERPOLATED = () => /\$(?:ENV|_ENV|_SERVER)[[{]['"]?HOME['"]?[\]}]/gu;
const IN_QUOTES = () => /"(?:[^"\\\n]|\\.)*"|`[^`]*`/gu;
/** A glob in Perl: `unlink </etc/*>`. */
const ANGLED = () => /<([~/.][^<>\n"']*)>/gu;
/** What starts a program in Lisp: `(shell-command "…")`, `(uiop:run-program "…")`. */
const LISP = () =>
  /\((?:async-)?(?:shell-command|(?:call|start|make)-process|process-lines|(?:\w+:)?(?:run|launch)-program)(?:-[a-z-]+)?/gu;
/** `File.join(Dir.pwd, name)`: only what follows says which place it is. */
const HERE_BEFORE = () =>
  /(?:(?<=\bjoin\(\s*)(?:os\.getcwd\(\)|process\.cwd\(\)|Dir\.pwd)\s*,|(?:os\.getcwd\(\)|Path\.cwd\(\)|process\.cwd\(\)|Dir\.pwd)\s*[+/])\s*(?=[A-Za-z_])/gu;
const HERES = () => /os\.getcwd\(\)|Path\.cwd\(\)|process\.cwd\(\)|Dir\.pwd/gu;
const TOKEN = () =>
  /"""([\s\S]*?)"""|'''([\s\S]*?)'''|(?:\b[rbfu]{1,2})?"((?:[^"\\\n]|\\[\s\S])*)"|(?:\b[rbfu]{1,2})?'((?:[^'\\\n]|\\[\s\S])*)'|`((?:[^`\\]|\\[\s\S])*)`|(?:%x|qx|q)[{([]([^})\]]*)[})\]]|(\.?[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*[!?]?)*)|([()[\],;\n])/gu;

/** `p = Path("x")`, `const f = "~" + "/x"`: a name that means a text from there on. */
const BOUND = () =>
  /(?:^|[\s;{(,])\$?([A-Za-z_]\w*)\s*(?::=|<-|=(?!=))\s*(?:new\s+)?(?:[\w.:]+\(\s*)*[rbfu]{0,2}(["'`])((?:(?!\2)[^\\\n]){1,1000})\2/gu;
/** `import { execSync as x }`, `from os import system as s`: another name of a function. */
const RENAMED = () => /\b(\w+)\s+as\s+(\w+)/gu;
const JOINED = () =>
  /(?<![\w$.:])(?:require\(["'][\w:/]+["']\)\.)?(?:[\w$]+(?:\.|::))*join\(\s*((?:["'][^"'\n]*["']\s*,\s*)+["'][^"'\n]*["'])\s*\)/gu;
const JOINED_TO = () => /(["'])(~[^"'\n]*)\1\.joinpath\(\s*(["'])([^"'\n]*)\3\s*\)/gu;
const HOME_BEFORE = () => /(["'])(~[^"'\n]*)\1\s*[+/]\s*(["'`])/u;

/** The text with `~` and `.` in place of expressions for the home folder and the current folder. */
function withPlaces({ text, language }: Code): string {
  const own =
    language === "perl"
      ? text.replace(ANGLED(), '"$1"')
      : language === "other"
        ? text.replace(LISP(), "(system")
        : text;
  const isPerlLike = language === "perl" || language === "php";
  let plain = (isPerlLike ? own.replace(IN_QUOTES(), (one) => one.replace(INTERPOLATED(), "~")) : own)
    .replace(HOMES(), '"~"')
    .replace(READ_VARIABLE(), (whole, name: string) => (oneOf("HOME USERPROFILE")(name) ? '"~"' : whole))
    .replace(HERE_BEFORE(), "")
    .replace(HERES(), '"."')
    .replace(IN_TEXT(), "~");
  // `homedir() + "/.ssh"`, `Path.home() / ".ssh" / "id_rsa"`: each round joins one part.
  for (let round = 0; round < 20 && HOME_BEFORE().test(plain); round++)
    plain = plain.replace(
      HOME_BEFORE(),
      (_, __, home: string, quote: string) => `${quote}${home.replace(/\/?$/u, "/")}`,
    );
  return plain
    .replace(
      JOINED(),
      (_, parts: string) =>
        `"${parts
          .split(/\s*,\s*/u)
          .map((part) => part.slice(1, -1))
          .join("/")}"`,
    )
    .replace(JOINED_TO(), 'Path("$2/$4")')
    .replace(/~\/{2,}/gu, "~/");
}

/** Every call in a text of code, found only by names and parentheses, in any language. */
export function callsIn(code: Code): CodeCall[] {
  const { language } = code;
  const renamed = new Map<string, string>();
  const placed = withPlaces(code);
  const plain = !placed.includes(" as ")
    ? placed
    : placed.replace(RENAMED(), (_, name: string, other: string) => {
        renamed.set(other, name);
        return "";
      });
  const bound = new Map(
    [...plain.matchAll(BOUND())].map(([, name = "", , literal = ""]) => [name, unescaped(literal)]),
  );
  const calls: CodeCall[] = [];
  const open: (CodeCall | undefined)[] = [];
  let pending: CodeCall | undefined;
  let bare: CodeCall | undefined;
  let closed: CodeCall | undefined;
  let end = 0;
  let isText = false;
  /** Adds a text to the calls around it, or to the text before it if an operator joins the two. */
  const say = (literal: string, between: string, calls: readonly (CodeCall | undefined)[]) => {
    for (const { literals } of new Set(calls.flatMap((call) => call ?? []))) {
      const before = literals.at(-1) ?? "";
      // awk and Python need no operator.
      const isJoined = isText && (JOINS.test(between) || (/\s$/u.test(before) && between.trim() === ""));
      if (isJoined) literals[Math.max(0, literals.length - 1)] = before + literal;
      else literals.push(literal);
    }
    isText = true;
  };
  for (const found of plain.matchAll(TOKEN())) {
    const [whole, ...groups] = found;
    const [told, sign] = groups.slice(-2);
    const name = renamed.get(told ?? "") ?? told;
    const between = plain.slice(end, found.index) + (name?.startsWith(".$") ? "." : "");
    end = found.index + whole.length;
    if (name !== undefined) {
      const plainName = name.replace(/^\.?\$/u, "");
      const meant = bound.get(plainName.split(/\.|->|::/u, 1)[0] ?? "");
      const own = meant === undefined ? [] : [meant];
      if (meant !== undefined && bound.has(plainName)) say(meant, between, [...open, bare]);
      else isText = false;
      pending = { name, literals: [], receiver: name.startsWith(".") ? (closed?.literals ?? []) : own };
      if (
        !oneOf(
          "f File if for in nil print my use import from as and or not return const let var require new await end do then",
        )(name)
      )
        bare = undefined;
      calls.push(pending);
    } else if (sign === "(" || sign === "[") {
      // Parentheses without a name hold a value, too: `(home / "x").unlink()`.
      open.push(sign === "(" ? (pending ?? { name: "", literals: [], receiver: [] }) : undefined);
      pending = undefined;
    } else if (sign === ")" || sign === "]") {
      closed = open.pop();
      pending = undefined;
    } else if (sign !== undefined) {
      if (sign !== ",") bare = pending = undefined;
    } else {
      const literal = interpolated(unescaped(groups.find((group) => group !== undefined) ?? ""), bound);
      if (/^(?:`|%x|qx)/u.test(whole) && language !== "node")
        calls.push({ name: "system", literals: [literal], receiver: [] });
      // `unlink "a", "b"`, without parentheses.
      bare ??= pending;
      say(literal, between, [...open, bare]);
    }
    if (sign !== undefined) isText = false;
  }
  return calls;
}

/** Concatenation, in any language. */
const JOINS = /^\s*(?:\+|\.{1,2}|\*|<>|&)\s*$/u;

/** A text with the names in it that the code has bound: `"$d/x"`, `"${d}/x"`, `"#{d}/x"`, `f"{d}/x"`. */
function interpolated(literal: string, bound: ReadonlyMap<string, string>): string {
  if (bound.size === 0 || !/[{$]/u.test(literal)) return literal;
  return literal.replace(
    /[#$]?\{\$?([A-Za-z_]\w*)\}|\$\(([A-Za-z_]\w*)\)|\$([A-Za-z_]\w*)/gu,
    (whole, braced?: string, wrapped?: string, plain?: string) => bound.get(braced ?? wrapped ?? plain ?? "") ?? whole,
  );
}

/** Every string literal. */
export function literalsIn(code: Code): string[] {
  return [...withPlaces(code).matchAll(TOKEN())].flatMap((found) => {
    const literal = found.slice(1, -2).find((group) => group !== undefined);
    return literal === undefined ? [] : [unescaped(literal)];
  });
}

const RUNS = () =>
  /^os\.execute$|(?:^|[.:>])(?:system|cmd|callCommand|callProcess|popen\d?|exec(?:_command)?|execSync|execFile|execFileSync|spawn|spawnSync|run|call|check_call|check_output|getoutput|getstatusoutput|shell_exec|passthru|proc_open|create_subprocess_\w+|execvp?e?|execlp?|capture2e?|capture3|\$|sh|doShellScript|shell)$/u;

/** Calls over whose results code loops. */
const LISTS = () => /(?:^|\.)(?:i?glob|scandir|listdir|readdir(?:Sync)?|globSync|Dir\.glob)$/u;

/** The shell texts that code runs: `os.system("…")`, `execSync("…")`, `subprocess.run(["rm", "-r"])`, backquotes. */
export function shellTextsIn(code: Code): string[] {
  const calls = callsIn(code);
  const listed = calls.flatMap(({ name, literals }) =>
    LISTS().test(name) ? literals.filter((one) => /^[\w.~/*?-]+$/u.test(one)) : [],
  );
  const texts = calls.flatMap(({ name, literals }) => {
    if (!(RUNS().test(name) || name.endsWith("run_cell_magic")) || literals.length === 0) return [];
    const [first = "", ...others] = literals;
    if (name.endsWith("run_cell_magic")) return escapesIn(`%%${first}\n${others.at(-1) ?? ""}`, IN_NOTEBOOKS());
    if (/\s/u.test(first) || others.length === 0)
      return [formatted(first, others.length > 0 ? others : [listed.join(" ")])];
    return [literals.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")];
  });
  const ways = code.language === "python" ? [...ESCAPES().slice(0, 1), ...IN_NOTEBOOKS()] : ESCAPES().slice(0, 1);
  return [...texts, ...escapesIn(code.text, code.language === "other" ? ESCAPES() : ways)];
}

/** `sprintf("rm -r %s", "~")`, `paste0("rm -r ", "~")`. */
function formatted(text: string, [next = ""]: readonly string[]): string {
  if (next !== "" && text.includes("%s")) return text.replace("%s", () => next);
  return /\s$/u.test(text) && /^[~/.]/u.test(next) ? text + next : text;
}

/** `x = !ls`, `!!ls`, `%sx ls`, and a cell that begins with `%%bash`, maybe after `%%time`; `!ls` is as in editors. */
const IN_NOTEBOOKS = once(() => [
  /^\s*(?:[\w, ]+=\s*!|!!)(.+)$/gmu,
  /^\s*(?:[\w, ]+=\s*)?%(?:sx|system)\s+(.+)$/gmu,
  /^(?:\s*%%[^\n]*\n)*?\s*%%(?:sx|system|!|(?:script\s(?:[^\n]*[\s/])?)?(?:ba|z|da|k)?sh\b)[^\n]*\n([\s\S]+)/gu,
]);

/** The ways in which editors, debuggers and clients of databases run a line, and other languages a text. */
const ESCAPES = once(() => [
  // `:!rm`, `%!rm`, `r !rm`, `\! rm`, `~!rm`, `.shell rm`, `platform shell rm`, `.output |rm`.
  /^[\s:]*(?:(?:sil(?:ent)?!?\s+)?[%\d,.$']{0,20}(?:r(?:ead)?|w(?:rite)?)?\s*!|\\!|~!|\.(?:shell|system)\s|(?:platform\s+)?shell\s|system\s+(?!["'(])|term(?:inal)?\s|\.(?:output|once|read)\s+["']?\||\\[og]\s*\|)\s*(.+)$/gimu,
  /\bprogram\s+'([^']+)'/giu,
  /do shell script "([^"]*)"/gu,
  /%sh\{([^}]*)\}/gu,
  // Tcl has no parentheses around words.
  /(?:^|[\n;{])\s*(?:spawn|exec)\s+([^\n;}]+)/gu,
  // `"rm" | getline`, `print | "rm"`, `"rm".!`, `"rm".execute()`.
  /"([^"\n]+)"\s*(?:\|&?\s*getline|\.!|\.execute\(\))/gu,
  /\|&?\s*"([^"\n]+)"/gu,
]);

export function escapesIn(text: string, ways = ESCAPES()): string[] {
  return ways.flatMap((one) => [...text.matchAll(one)].map(([, command = ""]) => command));
}

function unescaped(literal: string): string {
  return literal.replace(/\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(["'`\\/$])/gu, (_, hex, wide, sign) =>
    sign !== undefined ? sign : String.fromCharCode(Number.parseInt(hex ?? wide, 16)),
  );
}
