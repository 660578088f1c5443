import { defineToolPolicy } from "darwinian-minds/hook-policy";
import {
  effects,
  flows,
  matchesGlob,
  mentions,
  projectOf,
  type Source,
  type Step,
} from "darwinian-minds/hook-policy/helpers";
import { encrypts, namesAlone } from "../../hiding.ts";
import { isSecret } from "../../places.ts";
import { printsSecret } from "../../printing.ts";

const ASK = "Ask a person for what you need to know";

interface Options {
  more: readonly string[];
  except: readonly string[];
}

export default defineToolPolicy<Options>({
  policyKind: "enforcement",
  // Whatever else there is may show a file.
  matcher: "!Glob|LS|TodoWrite|TodoRead|WebFetch|WebSearch|Write|Edit|MultiEdit|NotebookEdit|apply_patch",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const { more, except } = event.options;
    if (
      more.length === 0 &&
      !mentions(
        event,
        /env|ssh|key|agents|secret|cred|token|pass|shadow|sudoers|aws|azure|gcloud|kube|docker|npmrc|pypirc|netrc|gnupg|gpg|vault|keychain|security|pem|p12|pfx|jks|id_|wallet|heroku|doppler|infisical|sops|ansible|stripe|fly|terraform|oc\b|glab|cookies|login|state|history|auth|gh|op|bw|boto|s3cfg|my\.cnf|claude|codex|gemini|http|ovpn|ppk|kdb|account|adminsdk|data|solana|snowflake|rclone|chamber|read_many|lpass|berglas|teller|conjur|railway|netlify|vercel|reveal|show-|include-|kv\b|env|password|convex|var\b|printenv|dlt|streamlit|pypoetry|containers|state|tofu|access|decrypt|age\b|keyring|[*?]/i,
      )
    )
      return undefined;
    const project = projectOf(event);
    const holds = ({ kind, name, step }: Source): boolean => {
      if (kind === "output") return step !== undefined && printsSecret(step);
      if (kind !== "place") return false;
      const inside = name.startsWith(`${project}/`) ? name.slice(project.length + 1) : null;
      if (matchesGlob(more, name) || (inside !== null && matchesGlob(more, inside))) return true;
      return isSecret(name) && (inside === null || !matchesGlob(except, inside));
    };
    const found = flows(event).filter(({ from, through }) => holds(from) && !through.some(hides));
    const shown = found.find(({ to }) => to === "conversation");
    if (shown !== undefined)
      return {
        action: "deny",
        reason:
          shown.from.kind === "output"
            ? `${shown.from.written} would print a secret into this conversation. ${ASK}`
            : `${shown.from.written} holds secrets, and ${shown.step?.program || "this"} would show them in this conversation. ${insteadOf(shown.from.name)}`,
      };
    const copied = found.find(({ to, place }) => to === "place" && !mayHold(place));
    if (copied !== undefined)
      return {
        action: "deny",
        reason: `This puts secrets of ${copied.from.written} into ${copied.place}, where nobody expects any. Keep them where they are, or let a person copy them`,
      };
    const isAll = event.toolName === "read_many_files" && !EXCLUDED.test(JSON.stringify(event.input));
    const whole = isAll ? effects(event).find(({ place }) => isWhole(place, project)) : undefined;
    if (whole === undefined) return undefined;
    return {
      action: "ask",
      reason: `${whole.written} reads whatever lies there, a .env, too. Name the kind of files: src/**/*.ts, or exclude **/.env*`,
      irreversible: true,
    };
  },
});

/** A way out that fits: `.env` has an example; a key or a vault has none. */
function insteadOf(place: string): string {
  return /(?:^|\/)\.?env[^/]*$/i.test(place)
    ? "Read an example of it such as .env.example, or only the names: cut -d= -f1"
    : ASK;
}

const EXCLUDED = /"exclude":\[[^\]]*\.env/;

/** All files of the project, whatever their names. */
function isWhole(place: string, project: string): boolean {
  return place === project || [`${project}/**`, `${project}/*`, `${project}/**/*`, `${project}/**/*.*`].includes(place);
}

/** Places where people expect secrets: those that are known, copies beside them, and files for keys. */
function mayHold(place: string): boolean {
  const plain = place.replace(/[.~](?:bak|backup|old|orig|tmp|\d+)$|~$/, "");
  return isSecret(place) || isSecret(plain) || /\.(?:pem|key|crt|cer|csr|pub|p12|pfx|jks)$/.test(plain);
}

/** A command that shows only names, or leaves what only the owner of another key can read. */
function hides(step: Step): boolean {
  return namesAlone(step) || encrypts(step);
}
