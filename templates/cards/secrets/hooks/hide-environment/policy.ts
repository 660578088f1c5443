import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { codeOf, flows, literalsIn, mentions, oneOf, optionsOf, type Step } from "darwinian-minds/hook-policy/helpers";
import { namesAlone } from "../../hiding.ts";
import { isSecretName } from "../../places.ts";
import { printsEnvironment } from "../../printing.ts";
import { isSecretVariable } from "../../sources.ts";

const ALL_IN_CODE = () =>
  /(?:print|log|dump|dumps|stringify|puts|p|pp|pprint|var_dump|print_r|echo|write|inspect|say)\W*\(?\s*(?:dict\(|json\.dumps\(|JSON\.stringify\(|Object\.entries\(|\$?%?)*\s*(?:os\.environ|process\.env|Deno\.env\.toObject\(\)|ENV(?:\.to_h|\.inspect)?|%ENV|getenv\(\)|\$_ENV|\$_SERVER)(?!\s*[.[{(]?["'\w])/;
/** Name and value of each: `os.environ.items()`, or a loop that looks up each variable by its name. */
const PAIRS_IN_CODE = () =>
  /os\.environ\.items\(|\bENV\.each|\beach\s*\(?%ENV|(?:getenv\(\)|\$_ENV|\$_SERVER)\s+as\b|Object\.entries\(process\.env\)/;
const LOOKED_UP = () =>
  /(?:environ|process\.env|\bENV(?:IRON)?)\[\s*(?:[a-z_]\w*\s*\]|["']\w*["']\s*\+)|\$ENV\{\s*\$\w+\s*\}/i;
const PAIR = () => /(?:\bfor\s+\(?|\||\(\[|\bas\s+)\s*\$?(\w+)\s*(?:,|=>)\s*\$?(\w+)/;
const LOOP = () => /\b(?:for|foreach|forEach|each|map|while)\b/;
/** Programs that show only the variables that they are asked for. */
const PICKING = () => /starts_?with|=~|match|includes|\.test\(|[!=]==?|\bif\b/i;
const PRINTING_CODE = () => /\b(?:printf?|log|puts|echo|write|say|dump)\b/;

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (!mentions(event, /env|compose|set|export|declare|typeset|ps|echo|print|puts|cat|\$/i)) return undefined;
    const found = flows(event).filter(({ to, through }) => to !== "code" && to !== "network" && !through.some(picks));
    const isSeen = found.filter(({ to }) => to === "conversation");
    const named = isSeen.find(
      ({ from }) => isSecretVariable(from) || (from.kind === "output" && printedBy(from.step) === "secret"),
    );
    if (named !== undefined)
      return {
        action: "deny",
        reason: `${named.from.kind === "output" ? `What ${named.from.written} prints` : named.from.written} is a secret of the environment, and this would show it in this conversation. Test only that it is set: [ -v NAME ]`,
      };
    const all = found.find(({ from }) => from.kind === "output" && printedBy(from.step) === "all");
    if (all === undefined) return undefined;
    const isPicked = all.through.some(
      (step) => FILTER(step.program) && step.arguments.some((word) => SECRETISH().test(word)),
    );
    return isPicked && all.to === "conversation"
      ? {
          action: "deny",
          reason:
            "This shows the secrets of the environment in this conversation. Test only that one is set: [ -v NAME ]",
        }
      : {
          action: "ask",
          reason:
            "This prints the whole environment, secrets included. Print the one variable that you need: printenv PATH",
          irreversible: true,
        };
  },
});

const FILTER = oneOf("grep egrep rg awk sed");
const SECRETISH = () => /secret|token|pass|key|cred|auth/i;

/** Everything, or services whose variables are mostly secrets. */
const MANY = () =>
  /^\.?\*?$|(?:^|\|)\W*(?:aws|azure|gcp|google|stripe|database|db|postgres|pg|mysql|mongo|redis|openai|anthropic|gemini|github|gitlab|slack|twilio|sendgrid|sentry|supabase|firebase|cloudflare|heroku|vercel|netlify)[\W_]*(?:$|\|)/i;

function printedBy(step: Step | undefined): "all" | "secret" | undefined {
  if (step === undefined) return undefined;
  const code = codeOf(step);
  if (code === undefined) return printsEnvironment(step);
  const { text } = code;
  if (ALL_IN_CODE().test(text)) return "all";
  const isPaired = PAIRS_IN_CODE().test(text);
  const isLookedUp = LOOKED_UP().test(text);
  // `process.env["DEPLOY_" + "TOKEN"]`
  const name = literalsIn(code)
    .filter((one) => /^\w+$/.test(one))
    .join("");
  if (isLookedUp && !isPaired && !LOOP().test(text))
    return PRINTING_CODE().test(text) && isSecretName(name) ? "secret" : undefined;
  const isEach = isPaired || isLookedUp;
  if (!isEach || !PRINTING_CODE().test(text) || usesOnlyNames(text)) return undefined;
  if (!PICKING().test(text)) return "all";
  return SECRETISH().test(text.replace(/\b(?:keys?|os\.environ\.keys)\b/g, "")) ? "secret" : undefined;
}

/** `for name, value in …`: the value isn't used, and nothing looks up the name. */
function usesOnlyNames(text: string): boolean {
  const [, name, value] = PAIR().exec(text) ?? [];
  return (
    value !== undefined &&
    text.split(new RegExp(`\\b${value}\\b`)).length === 2 &&
    !new RegExp(`env\\w*(?:\\.\\w+)*[[({]\\s*\\$?${name}\\b|[[(]locals\\(`, "i").test(text)
  );
}

/** A command that shows only names, a count, or lines without secrets. */
function picks({ program, arguments: given }: Step): boolean {
  if (program === "cut") return given.some((word) => oneOf("1 f1 -1 -f1")(word));
  // A few letters tell hardly more than that it is there.
  if (program === "head") return Number(optionsOf(given, { letters: "nc" }).values("c")[0] ?? 99) < 8;
  if (program === "jq") return given.some((word) => /length|^keys\b/.test(word));
  if (!FILTER(program)) return false;
  if (program === "awk" || program === "sed")
    return (
      namesAlone({ program, arguments: given }) !== null ||
      (program === "awk" && given.some((word) => /print \$1\s*\}/.test(word)))
    );
  const pattern = given.find((word) => !word.startsWith("-")) ?? "";
  if (given.some((word) => /^-[a-zA-Z]*v/.test(word))) return SECRETISH().test(pattern);
  return !SECRETISH().test(pattern) && !MANY().test(pattern);
}
