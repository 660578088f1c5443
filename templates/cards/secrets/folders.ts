import { type Flow, folderMeant, kindOfPlace, oneOf, optionsOf, type Step } from "darwinian-minds/hook-policy/helpers";
import { isSecretName } from "./places.ts";

const SEARCHER = oneOf("grep egrep fgrep zgrep ugrep rg ag ack");
/** Folders of source code, which nobody keeps a `.env` in. */
const SOURCES = () =>
  /(?:^|\/)(?:src|lib|docs?|tests?|spec|fixtures|examples?|node_modules|dist|build|target|vendor)(?:\/|$)/;

/**
 * Whether all files of a folder go on, a `.env` among them: of any folder of the project or of a home that isn't one of
 * source code. A search shows only lines that it finds; one for names of secrets shows them from the project and what is above or beside it.
 */
export function showsFolder({ from, through }: Flow, project: string): boolean {
  if (from.kind !== "place" || from.isDeep !== true || through.some(leavesEnvOut)) return false;
  const folder = folderMeant(from.name);
  const kind = kindOfPlace(folder, project);
  const isTop = oneOf("root home above project")(kind) || oneOf("/home /Users")(folder);
  if (!isTop && !(kind === "inside" || folder.startsWith("~/"))) return false;
  const isHidden = folder === from.name;
  const search = [from.step, ...through].find(
    (step) => step !== undefined && (SEARCHER(step.program) || step.program === "git"),
  );
  const found = search === undefined ? "all" : findsIn(search, oneOf("root home")(kind));
  if (found === "all") return isTop || (isHidden && from.step?.program !== "diff" && !SOURCES().test(folder));
  return found === "secrets" && isHidden && kind !== "inside";
}

/** `| grep -v .env`, `| grep '\.ts:'` */
function leavesEnvOut({ program, arguments: given }: Step): boolean {
  return SEARCHER(program) && given.some((word) => /\.(?:env|\w{1,4}(?::|\$|$))/.test(word));
}

/** What a search finds in a file of lines such as `API_KEY=…`; in a whole home also in `password = …`. */
function findsIn({ program, arguments: given }: Step, isWide: boolean): "all" | "secrets" | "other" {
  const own = program === "git" ? given.slice(given.indexOf("grep") + 1) : given;
  const { has, values, operands } = optionsOf(own, {
    letters: "efABCmd",
    names: ["regexp", "file", "context", "max-count", "directories"],
  });
  if (has("v", "invert-match")) return "all";
  const patterns = [
    ...values("e", "regexp"),
    ...(values("e", "regexp", "f", "file").length > 0 ? [] : operands.slice(0, 1)),
  ];
  const isAnyCase = isWide || has("i", "ignore-case", "smart-case", "S") || program === "ag";
  const isOnly = has("o", "only-matching");
  const kinds = patterns.flatMap((pattern) => pattern.split(/\\?\|/)).map((one) => kindOf(one, isAnyCase, isOnly));
  return kinds.find((one) => one === "all") ?? kinds.find((one) => one === "secrets") ?? "other";
}

/** An alternative of a pattern, by the letters that are left without its signs. */
function kindOf(pattern: string, isAnyCase: boolean, isOnly: boolean): "all" | "secrets" | "other" {
  const isOpen = /[.*+\]]/.test(pattern);
  const plain = pattern
    .replace(/\[[^\]]*\]|\\[bBwWsSdD<>]|[.?][*+?]?|\{[\d,]*\}|\\?[(){}^$*+?"']|(?:\^|\b)export /g, "")
    .replace(/\\?=.*$/, "");
  if (plain.trim() === "") return isOnly && !isOpen ? "other" : "all";
  if (!/^\w+$/.test(plain) || (isOnly && !isOpen)) return "other";
  const name = isAnyCase ? plain.toUpperCase() : plain;
  return name === name.toUpperCase() && (isSecretName(name) || /^_?(?:API|SECRET|ACCESS)?_?KEY$/.test(name))
    ? "secrets"
    : "other";
}
