import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  effects,
  flows,
  type GitStep,
  gitSteps,
  inputOfEdit,
  liesBelow,
  oneOf,
  projectOf,
  resolvePlace,
  shellTextsOf,
} from "darwinian-minds/hook-policy/helpers";
import { isIgnored, isSecret } from "../../places.ts";

/** What tokens of known services look like. */
const TOKEN = () =>
  /(?<![\w-])(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{60,}|glpat-[\w-]{20,}|sk-ant-[\w-]{24,}|sk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,}|xox[abeprs]-[\w-]{20,}|xapp-\d-[\w-]{20,}|AIza[\w-]{35}|ya29\.[\w-]{30,}|npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{50,}|[sr]k_live_[A-Za-z0-9]{20,}|whsec_[A-Za-z0-9+/]{24,}|SG\.[\w-]{16,}\.[\w-]{32,}|hf_[A-Za-z0-9]{30,}|dop_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|dp\.pt\.[A-Za-z0-9]{40,}|lin_api_[A-Za-z0-9]{40}|sq0(?:atp|csp)-[\w-]{22,}|key-[a-f0-9]{32}|AC[a-f0-9]{32}:[a-f0-9]{32}|eyJ[\w-]{16,}\.eyJ[\w-]{16,}\.[\w-]{20,}|(?<=:\/\/[^\s:@/]{1,64}:)[^\s@/$<{}*]{12,}(?=@[\w.-]+\.[a-z]+)|https:\/\/hooks\.slack\.com\/services\/T\w{8,}\/B\w{8,}\/\w{20,}|(?<=AccountKey=)[A-Za-z0-9+/]{80,}={0,2}|vercel_[A-Za-z0-9]{24,}|tfr?_[A-Za-z0-9]{40,}|AGE-SECRET-KEY-1[0-9A-Z]{50,})|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----\s*\\?n?\s*[A-Za-z0-9+/=\\\s]{64,}/g;
/** Placeholders that documentation and tests use instead of a token. */
const EXAMPLE = () =>
  /example|xxxx|\.\.\.|your|dummy|fake|(?<![a-z])test(?![a-z])|00000|placeholder|changeme|redacted|(?<![a-z])password(?![a-z])/i;
const INSTEAD = "Write the name of a variable, and keep the token in .env or a keychain";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|MultiEdit|NotebookEdit|apply_patch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (gitSteps(event).some(addsSecret))
      return {
        action: "deny",
        reason:
          "This puts a file of secrets into the repository, where it stays. Add an example of it such as .env.example",
      };
    const text = JSON.stringify(event.input ?? "").replaceAll("\\n", "\n");
    if (!hasToken(text)) return undefined;
    const place = placeOfToken(event);
    return place === undefined
      ? undefined
      : { action: "deny", reason: `This writes what looks like a live token into ${place}. ${INSTEAD}` };
  },
});

/** `git add -f .env`: named, so that no .gitignore holds it back. */
function addsSecret({ subcommand, options: { has, operands }, folder }: GitStep): boolean {
  if (subcommand !== "add" && subcommand !== "stage") return false;
  return !has("n", "dry-run") && operands.some((path) => isSecret(resolvePlace(path, folder)));
}

function hasToken(text: string): boolean {
  // Each of them has so many of these letters, or one of these signs: V8 takes ten times longer to compile all of them.
  if (!/[\w+/-]{20}|:\/\/|BEGIN/.test(text)) return false;
  return [...text.matchAll(TOKEN())].some(([token]) => !EXAMPLE().test(token) && new Set(token).size > 9);
}

/** Tools of servers that show a text to others, and those that keep secrets. */
const SAYING = () =>
  /^mcp__.*(?:^|_)(?:send|post|reply|publish|comment|(?:create|update|add|write)_?\w*(?:issue|comment|message|page|pull_request|gist|post|note|document|review|discussion|ticket))/i;
const KEEPING = () => /secret|env|variable|credential|token|vault|auth|login|key/i;

/** Whether the call puts a token into a file. Taking one out doesn't. */
function placeOfToken(event: ToolPolicyEvent): string | undefined {
  if (shellTextsOf(event).length === 0) {
    const edits = inputOfEdit(event);
    const written =
      edits.length > 0
        ? edits.filter(({ after }) => hasToken(after))
        : effects(event).filter(({ does }) => does === "writes");
    const open = written.find(({ place }) => isOpen(place, event));
    const isSaid = edits.length === 0 && SAYING().test(event.toolName) && !KEEPING().test(event.toolName);
    return (
      open?.written ??
      (isSaid ? "what others read" : undefined) ??
      (edits.length === 0 && written.length === 0 && event.toolName === "apply_patch" ? "a file" : undefined)
    );
  }
  const isCommitted = gitSteps(event).some(
    ({ subcommand, arguments: given }) =>
      oneOf("commit tag notes remote config")(subcommand) && hasToken(given.join(" ")),
  );
  if (isCommitted) return "a commit";
  return flows(event).find(
    ({ to, from, place }) => to === "place" && from.kind === "text" && hasToken(from.name) && isOpen(place, event),
  )?.place;
}

/** Files that are meant to hold secrets need no warning, unless they may be committed. */
function isOpen(place: string, event: ToolPolicyEvent): boolean {
  if (/^mcp__\w*(?:git|bitbucket)/i.test(event.toolName)) return true;
  const isKept = isSecret(place) && (isIgnored(place) || !liesBelow(place, projectOf(event)));
  return !isKept && !/^\/dev\//.test(place);
}
