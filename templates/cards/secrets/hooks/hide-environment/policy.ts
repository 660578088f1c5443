import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { codeOf, mentions, once, type Step, steps } from "darwinian-minds/hook-policy/helpers";
import { SECRET_NAME } from "../../places.ts";
import { printsEnvironment } from "../../printing.ts";

const ALL_IN_CODE = once(
  () =>
    /(?:print|log|dump|dumps|stringify|puts|p|pp|pprint|var_dump|print_r|echo|write|inspect|say)\W*\(?\s*(?:dict\(|json\.dumps\(|JSON\.stringify\(|Object\.entries\(|\$?%?)*\s*(?:os\.environ|process\.env|ENV(?:\.to_h|\.inspect)?|%ENV|getenv\(\)|\$_ENV|\$_SERVER)(?!\s*[.[{(]?["'\w])/,
);
const ONE_IN_CODE = once(
  () => /(?:environ(?:\.get)?[[(]\s*|getenv\(\s*|process\.env[.[]\s*|ENV(?:\.fetch)?[[(]\s*|\$ENV\{\s*)["']?(\w+)/g,
);
/** Name and value of each: `os.environ.items()`, or a loop that looks up each variable by its name. */
const PAIRS_IN_CODE = once(
  () =>
    /os\.environ\.items\(|\bENV\.each|\beach\s*\(?%ENV|(?:getenv\(\)|\$_ENV|\$_SERVER)\s+as\b|Object\.entries\(process\.env\)/,
);
const LOOKED_UP = once(() => /(?:environ|process\.env|\bENV(?:IRON)?)\[\s*[a-z_]\w*\s*\]|\$ENV\{\s*\$\w+\s*\}/i);
const LOOP = once(() => /\b(?:for|foreach|forEach|each|map|while)\b/);
/** Programs that show only the variables that they are asked for. */
const PICKING = /starts_?with|=~|match|includes|\.test\(|[!=]==?|\bif\b/i;
const PRINTING_CODE = /\b(?:printf?|log|puts|echo|write|say|dump)\b/;

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (!mentions(event, /env|set|export|declare|typeset|ps|echo|printf/i)) return undefined;
    const all = steps(event);
    for (const step of all) {
      const printed = printsEnvironment(step) ?? printedByCode(step);
      if (printed === "secret" && !goesOn(step, all))
        return {
          action: "deny",
          reason:
            "This prints a secret of the environment into this conversation. Test only that it is set: [ -v NAME ]",
        };
      if (printed === "all" && !goesOn(step, all))
        return {
          action: "ask",
          reason:
            "This prints the whole environment, secrets included. Print the one variable that you need: printenv PATH",
        };
    }
    return undefined;
  },
});

function printedByCode(step: Step): "all" | "secret" | undefined {
  const text = codeOf(step)?.text;
  if (text === undefined) return undefined;
  if (ALL_IN_CODE().test(text) || printsPairs(text)) return "all";
  const names = [...text.matchAll(ONE_IN_CODE())].map(([, name = ""]) => name);
  const isPrinting =
    PRINTING_CODE.test(text) ||
    (step.program === "node" && step.arguments.some((word) => /^(?:-p|-pe|--print)$/.test(word)));
  return isPrinting &&
    names.some((name) => SECRET_NAME().test(name)) &&
    !/!!\s*(?:process|ENV)|\b(?:bool|len|length|defined|requests|fetch|in os\.environ)/.test(text)
    ? "secret"
    : undefined;
}

function printsPairs(text: string): boolean {
  const isEach = PAIRS_IN_CODE().test(text) || (LOOKED_UP().test(text) && LOOP().test(text));
  return isEach && PRINTING_CODE.test(text) && !PICKING.test(text);
}

/** A program reads its output that shows less (only names, a count, lines without secrets) or logs in with it. */
function goesOn(step: Step, all: readonly Step[]): boolean {
  return all.some(({ program, arguments: given, feeders }) => {
    if (!feeders.includes(step)) return false;
    if (program === "cut") return given.some((word) => /^-?f?1$/.test(word));
    if (
      /^(?:wc|md5sum|sha\d+sum|shasum|docker|podman|gh|npm|vercel|wrangler|kubectl|helm|gcloud|aws|az|openssl|base32|gpg|ssh-add|pass|vault|heroku|fly|sops|age|cat\s*>|passwd|chpasswd|sudo|tr|head|cosign|jq)$/.test(
        program,
      )
    )
      return !/^(?:tr|head|jq)$/.test(program) || given.some((word) => /^-c\d?$|length/.test(word));
    if (!/^(?:e?grep|rg|awk|sed)$/.test(program)) return false;
    if (given.some((word) => /^-[a-zA-Z]*[cqv]/.test(word)))
      return !given.some((word) => /^-[a-zA-Z]*v/.test(word)) || given.some((word) => SECRET_NAME().test(word));
    const pattern = given.find((word) => !word.startsWith("-")) ?? "";
    return !SECRET_NAME().test(pattern) && !/^\.?\*?$|secret|token|pass|key|cred|auth/i.test(pattern);
  });
}
