import { oneOf } from "../pattern/one-of.ts";
import { letters, variableNamed } from "./cmdlets.ts";

const TOKEN = () => /"[^"]*"?|\^[\s\S]|%[^%\s]*%|&&|\|\||[&|()\n]|>>?|<|[^\S\n]+|[^\s"^%&|()<>]+|%/gu;
const LOOP = () => /\bfor\s+(?:\/d\s+|\/r\s+(?!%)(\S+)\s+|\/r\s+)?%{1,2}([a-z])\s+in\s*\(([^()]*)\)\s*do\s+([\s\S]*)/iu;
/** The commands of cmd.exe that do to files what programs of a POSIX shell do. */
const LIKE: Readonly<Record<string, string>> = {
  ...{ rd: "rmdir", rmdir: "rmdir", del: "rm", erase: "rm", type: "cat", more: "cat", copy: "cp", xcopy: "cp -r" },
  ...{ move: "mv", ren: "mv", rename: "mv", md: "mkdir -p", mkdir: "mkdir -p", cd: "cd", chdir: "cd", echo: "echo" },
  ...{ set: "set", call: "", start: "", rem: "#", dir: "ls", where: "which", cls: ":", exit: ":", pause: ":" },
};

/** A text for cmd.exe as one for a POSIX shell that does the same, as `fromPowerShell` makes one. */
export function fromCmd(text: string): string {
  const lines: string[] = [];
  let words: string[] = [];
  let word = "";
  const endWord = () => {
    if (word !== "") words.push(word);
    word = "";
  };
  const endCommand = (sign: string) => {
    endWord();
    const command = posixOf(words);
    words = [];
    if (command !== "") lines.push(command);
    if (sign === "|" && command !== "") lines.push("|");
  };
  for (const [token] of unrolled(text).matchAll(TOKEN())) {
    if (/^(?:&&?|\|\|?|[()\n])$/u.test(token)) endCommand(token);
    else if (/^\s+$/u.test(token)) endWord();
    else if (/^(?:>>?|<)$/u.test(token)) {
      endWord();
      words.push(token);
    } else if (/^%[^%]+%$/u.test(token)) word += variableNamed(token.slice(1, -1));
    else if (token.startsWith('"')) word += filled(token.replace(/"/gu, "")) || "''";
    else word += token.startsWith("^") ? letters(token.slice(1)) : plain(token);
  }
  endCommand("");
  return lines.join("\n").replace(/\n\|\n/gu, " | ");
}

/** `for /d %x in (a b) do rd %x` as `do rd a b`. Of `for /f`, nobody knows the lines. */
function unrolled(text: string): string {
  const [whole, folder, name, list = "", body] = LOOP().exec(text) ?? [];
  if (whole === undefined) return text;
  const items = folder === undefined ? list : list.replace(/[^\s,;]+/gu, (one) => `${folder}\\${one}`);
  const meant = new RegExp(`"?%{1,2}(?:~[a-z]*)?${name}\\b"?`, "gu");
  return text.replace(whole, () => unrolled(`${body}`.replace(meant, () => items)));
}

function filled(text: string): string {
  return text.replace(/%([^%\s]+)%|[^%]+|%/gu, (part, name?: string) =>
    name === undefined ? letters(part) : variableNamed(name),
  );
}

function plain(text: string): string {
  return text
    .split(/([*?])/u)
    .map((part) => (part === "" || /^[*?]$/u.test(part) ? part : letters(part)))
    .join("");
}

function posixOf(given: readonly string[]): string {
  const words = [...given];
  const bare = (at: number) => (words[at] ?? "").replace(/'/gu, "").toLowerCase();
  while (/^(?:@|if|not|else|exist|do|@?echo\s+off|defined|\/i)$/u.test(bare(0)) || /==/u.test(bare(0))) {
    const isNaming = oneOf("exist defined")(bare(0));
    words.splice(0, isNaming ? 2 : 1);
  }
  // `for /d %x in (*) do …`: the list and the body are commands of their own here.
  if (bare(0) === "for") return "";
  const [first = "", ...rest] = words;
  const name = bare(0).replace(/^@/u, "");
  const like = Object.hasOwn(LIKE, name) ? LIKE[name] : undefined;
  if (like === undefined) return [first.replace(/^'@/u, "'"), ...rest].join(" ");
  if (like === "#" || (name === "echo" && /^'?(?:off|on)'?$/iu.test(rest[0] ?? ""))) return "";
  if (name === "set") return rest.length === 0 ? "printenv" : `export ${rest.join("").replace(/^'([\w]+)=/u, "$1='")}`;
  const options = rest.filter((one) => /^'\/{1,2}[a-z]\b/iu.test(one));
  const operands = rest
    .filter((one) => !options.includes(one))
    .map((one) => (name === "echo" ? one : one.replace(/^'\\\\\?\\/u, "'").replaceAll("\\", "/")));
  const isDeep = options.some((one) => /^'\/{1,2}s/iu.test(one));
  const program = like === "rmdir" || like === "rm" ? (isDeep ? "rm -rf" : like === "rm" ? "rm -f" : "rmdir") : like;
  return [program, ...operands].filter((one) => one !== "").join(" ");
}
