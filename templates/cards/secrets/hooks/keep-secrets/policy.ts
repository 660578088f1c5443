import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import { effects, matchesGlob, mentions, projectOf, type Step, steps } from "darwinian-minds/hook-policy/helpers";
import { encrypts, namesAlone, takesFromInput } from "../../hiding.ts";
import { isSecret } from "../../places.ts";
import { printsSecret } from "../../printing.ts";

const INSTEAD = "Read an example of it such as .env.example, or ask a person for what you need to know";

interface Options {
  more: readonly string[];
  except: readonly string[];
}

export default defineToolPolicy<Options>({
  policyKind: "enforcement",
  matcher: "Bash|Read|Grep|NotebookRead|read_many_files|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const { more, except } = event.options;
    if (
      more.length === 0 &&
      !mentions(
        event,
        /env|ssh|key|agents|secret|cred|token|pass|shadow|sudoers|aws|azure|gcloud|kube|docker|npmrc|pypirc|netrc|gnupg|gpg|vault|keychain|security|pem|p12|pfx|jks|id_|wallet|heroku|doppler|infisical|sops|ansible|stripe|fly|terraform|oc\b|glab|cookies|login|state|history|auth|gh|op|bw|boto|s3cfg|my\.cnf|claude|codex|gemini|http|ovpn|ppk|kdb|account|adminsdk|data|solana|snowflake|rclone|chamber|read_many|lpass|berglas|teller|conjur|railway|netlify|vercel|[*?]/i,
      )
    )
      return undefined;
    const project = projectOf(event);
    const holdsSecrets = (place: string): boolean => {
      const inside = place.startsWith(`${project}/`) ? place.slice(project.length + 1) : null;
      if (matchesGlob(more, place) || (inside !== null && matchesGlob(more, inside))) return true;
      return isSecret(place) && (inside === null || !matchesGlob(except, inside));
    };
    const read = effects(event).find(
      ({ does, place, step }) =>
        does === "reads" && holdsSecrets(place) && !isForOwner(step) && !isTakenIn(step, event),
    );
    if (read !== undefined)
      return {
        action: "deny",
        reason: `${read.written} holds secrets, and reading it would put them into this conversation. ${INSTEAD}`,
      };
    const step = steps(event).find(printsSecret);
    if (step === undefined) {
      const all = event.toolName === "read_many_files" && !EXCLUDED.test(JSON.stringify(event.input));
      const whole = all ? effects(event).find(({ place }) => isWhole(place, project)) : undefined;
      if (whole === undefined) return undefined;
      return {
        action: "ask",
        reason: `${whole.written} reads whatever lies there, a .env, too. Name the kind of files: src/**/*.ts, or exclude **/.env*`,
      };
    }
    return { action: "deny", reason: `${step.program} would print a secret into this conversation. ${INSTEAD}` };
  },
});

const EXCLUDED = /"exclude":\[[^\]]*\.env/;

/** All files of the project, whatever their names. */
function isWhole(place: string, project: string): boolean {
  return place === project || [`${project}/**`, `${project}/*`, `${project}/**/*`, `${project}/**/*.*`].includes(place);
}

/** A program that takes a file of secrets for itself: `docker compose --env-file`, `git-crypt`, `openssl` with a public result. */
function isForOwner(step: Step | undefined): boolean {
  if (step === undefined) return false;
  const { program, arguments: given, redirections } = step;
  if (/^(?:cp|mv|ln|install)$/.test(program))
    return isSecret(given.at(-1) ?? "") || /^(?:\.|.*\.(?:bak|backup|old|orig))$/.test(given.at(-1) ?? "");
  if (namesAlone(step) || encrypts(step) || program === "vault") return true;
  if (program === "gh" || program === "glab") return given.includes("set");
  if (program === "grep" || program === "rg") return given.some((word) => /^-\w*c/.test(word));
  if (program === "openssl") return given.includes("-pubout") || given.includes("-pubin");
  if (program === "diff" || program === "cmp") return given.some((word) => /^-\w*q|^--brief/.test(word));
  const isQuiet = redirections.some(({ operator, target }) => operator.includes(">") && target === "/dev/null");
  return isQuiet && redirections.every(({ descriptor }) => descriptor !== "2");
}

/** `cat token | docker login --password-stdin`, and the same by `<`. */
function isTakenIn(step: Step | undefined, event: ToolPolicyEvent): boolean {
  if (step === undefined) return false;
  const readers = steps(event).filter(({ feeders }) => feeders.includes(step));
  return takesFromInput(step) || (step.program === "cat" && readers.length > 0 && readers.every(takesFromInput));
}
