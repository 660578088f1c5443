import { oneOf } from "../pattern/one-of.ts";
import type { Code } from "./interpreters.ts";

/** An expression for the value of a variable of the environment, in any language. */
export const READ_VARIABLE = () =>
  /(?:\b(?:os|Sys|System|Deno|sys|std)(?:\.|::|:))?(?:\benviron(?:ment|\.get)?[[(]|\bENVIRON\[|\$?\bENV(?:\.fetch)?[[({]|\$_(?:ENV|SERVER)\[|\b(?:process|Bun|import\.meta)\.env(?:\.|\[)|\benv(?:\.get|::var)\(|\$(?:::)?env\(|\b(?:[gG]et_?[eE]nv|fetch_env!?|LookupEnv|GetEnvironmentVariable|system attribute)(?:\s*\(|\s))\s*["']?(\w+)["']?(?:(?<!\.env\.\w+)(?:\s*,\s*(?:"[^"\n]*"|'[^'\n]*'))?\s*[\])}])?/gu;

/** What tells of a variable no more than that it is there, or how long it is. */
const ONLY_ASKED = () =>
  /(?:\b(?:bool|Boolean|len|typeof|defined\??|isset|empty|strlen|if|unless|not|assert|hasattr)\b|!)[\s(!]*(?:os\.|process\.)?(?:environ|env|getenv|ENV)[^\s,;)\]}]*[\])]?|(?:environ|process\.env|ENV)[^\s,;)]*[\])]?\)?\s*(?:\?(?!\?)|is\b|[!=]==?|&&|\.length)|["']\w+["']\s+(?:not\s+)?in\s+(?:os\.environ|process\.env)/gu;
const PRINTS = () =>
  /\b(?:print(?:f|ln)?|log|info|puts|echo|write|say|dump|warn|error|p|pp|inspect|cat|stdout|var_dump|print_r)\b/u;
const OPENS = () =>
  /\bopen\b|read(?!y|\w*only)|\bload(?!_dotenv)s?\(|slurp|_values\(|get_contents|\bIO\.|File\.|createReadStream|<\s*\$|parse\(|\bfile\(|config\(|\bcat\b|require\(["'][./~]|readlines|imread|\bcopy|\brename|\bmove\(|ARGV|\bfiles?=/u;

/** What stands before an address that a call connects to: its answer isn't the address. */
const CONNECTS = () => /(?:connect|engine|client|pool|from_url|PDO)\w*\(\s*$/iu;

/** The variables of the environment that code reads. */
export function variablesReadBy({ text }: Code): string[] {
  return [...text.matchAll(READ_VARIABLE())].map(([, name = ""]) => name);
}

/** Those of them whose values code prints, in the same statement or by a name that it gives them. */
export function variablesShownBy(code: Code, isPrinted: boolean): string[] {
  const statements = code.text.replace(ONLY_ASKED(), " ").split(/[\n;]/u);
  return statements.flatMap((statement) => {
    const names = [...statement.matchAll(READ_VARIABLE())].flatMap(([, name = ""], at, all) =>
      CONNECTS().test(statement.slice(0, all[at]?.index)) ? [] : [name],
    );
    if (names.length === 0) return [];
    const [, bound] =
      /(?:^|\s)[$@]?(\w+)\s*:?=\s*["'`]?(?:os\.|process\.|str\()?(?:environ|env|getenv|ENV|\$ENV)/u.exec(statement) ??
      [];
    const isShown =
      isPrinted ||
      PRINTS().test(statement) ||
      (bound !== undefined &&
        statements.some(
          (other) => other !== statement && PRINTS().test(other) && new RegExp(`\\b${bound}\\b`, "u").test(other),
        ));
    return isShown ? names : [];
  });
}

/** Whether code opens files, and whether it prints something. */
export function usesOf({ text }: Code): { opens: boolean; prints: boolean } {
  return { opens: OPENS().test(text), prints: PRINTS().test(text) };
}

/** Whether a command reads the files that its words or its code name. `perl -ne` does so with each line of them. */
export function opensFiles(code: Code | undefined, given: readonly string[]): boolean {
  if (code === undefined || code.language === "other" || usesOf(code).opens) return true;
  return oneOf("perl ruby")(code.language) && given.some((word) => /^-[a-zA-Z\d]*[np]/u.test(word));
}
