import { defineToolPolicy } from "darwinian-minds/hook-policy";
import {
  effects,
  type Flow,
  flows,
  matchesGlob,
  mentions,
  projectOf,
  type Source,
} from "darwinian-minds/hook-policy/helpers";
import { showsFolder } from "../../folders.ts";
import { encrypts, namesAlone, selectsLabels } from "../../hiding.ts";
import { isEnvFile, isSecret } from "../../places.ts";
import { printsSecret } from "../../printing.ts";

const ASK = "Ask a person for what you need to know";

const REVEALING_TOOL = () =>
  /_(?:get|read|reveal|show|view|access|decrypt|export)_?(?:[a-z]+_)?(?:secret|password|credential|api_?key)s?(?:_?value)?$/i;

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
        /env|ssh|key|agents|secret|cred|token|pass|shadow|sudoers|aws|azure|gcloud|kube|docker|npmrc|pypirc|netrc|gnupg|gpg|vault|keychain|security|pem|p12|pfx|jks|id_|wallet|heroku|doppler|infisical|sops|ansible|stripe|fly|terraform|oc\b|glab|cookies|login|state|history|auth|gh|op|bw|boto|s3cfg|my\.cnf|claude|codex|gemini|http|ovpn|ppk|kdb|account|adminsdk|data|solana|snowflake|rclone|chamber|read_many|lpass|berglas|teller|conjur|railway|netlify|vercel|reveal|show-|include-|kv\b|env|password|convex|var\b|printenv|dlt|streamlit|pypoetry|containers|state|tofu|access|decrypt|age\b|keyring|\*|\?|recurs|no-i|exclude-s|find|fd|ls|tar|zip|cpio|ag\b|ack\b|walk|glob|dir|path/i,
      ) &&
      !mentions(event, /\s-[a-z.]*[ru]/i)
    )
      return undefined;
    if (event.toolName.startsWith("mcp__") && REVEALING_TOOL().test(event.toolName))
      return { action: "deny", reason: `${event.toolName} would print a secret into this conversation. ${ASK}` };
    const project = projectOf(event);
    const holds = ({ kind, name, step }: Source): boolean => {
      if (kind === "output") return step !== undefined && printsSecret(step);
      if (kind !== "place") return false;
      const inside = name.startsWith(`${project}/`) ? name.slice(project.length + 1) : null;
      if (matchesGlob(more, name) || (inside !== null && matchesGlob(more, inside))) return true;
      return isSecret(name) && (inside === null || !matchesGlob(except, inside));
    };
    const found = flows(event).filter(
      (flow) =>
        (flow.to === "conversation" || (flow.to === "place" && !mayHold(flow.place))) &&
        holds(flow.from) &&
        !flow.through.some(encrypts) &&
        !(flow.from.kind === "output" && flow.through.some(selectsLabels)) &&
        namesShown(flow) !== "all",
    );
    const whole = found.filter((flow) => namesShown(flow) === null);
    const worst = whole.find(({ to }) => to === "conversation") ?? whole[0] ?? found[0];
    if (worst !== undefined) {
      const { from, to, place, step } = worst;
      const by = step?.program || "this";
      if (whole.length === 0)
        return {
          action: "ask",
          reason: `${from.written} may hold a key, whose lines have no =, and ${by} shows those whole. ${insteadOf(from)}`,
          irreversible: true,
        };
      const reason =
        to === "place"
          ? `This puts secrets of ${from.written} into ${place}, where nobody expects any. Keep them where they are, or let a person copy them`
          : from.kind === "output"
            ? `${from.written} would print a secret into this conversation. ${ASK}`
            : `${from.written} holds secrets, and ${by} would show them in this conversation. ${insteadOf(from)}`;
      return { action: "deny", reason };
    }
    const isAll = event.toolName === "read_many_files" && !EXCLUDED().test(JSON.stringify(event.input));
    const everything = isAll
      ? effects(event).find(({ place }) => isWhole(place, project))
      : flows(event).find((flow) => flow.to === "conversation" && showsFolder(flow, project))?.from;
    if (everything === undefined) return undefined;
    return {
      action: "ask",
      reason: `${everything.written} reads whatever lies there, a .env, too. Name the kind of files: src/**/*.ts, or exclude **/.env*`,
      irreversible: true,
    };
  },
});

/** A way out that fits: `.env` has an example; a key or a vault has none. */
function insteadOf({ name, written }: Source): string {
  const file = /^[\w./~-]+$/.test(written) ? written : ".env";
  return isEnvFile(name) ? `Read an example of it such as .env.example, or only the names: cut -sd= -f1 ${file}` : ASK;
}

/** Whether only the names of an env file go on; those of anything else aren't before a `=`. */
function namesShown({ from, through }: Flow): "all" | "mostly" | null {
  if (from.kind !== "place" || !isEnvFile(from.name)) return null;
  const names = through.map(namesAlone);
  return names.find((one) => one === "all") ?? names.find((one) => one !== null) ?? null;
}

const EXCLUDED = () => /"exclude":\[[^\]]*\.env/;

/** All files of the project, whatever their names. */
function isWhole(place: string, project: string): boolean {
  return place === project || [`${project}/**`, `${project}/*`, `${project}/**/*`, `${project}/**/*.*`].includes(place);
}

/** Places where people expect secrets: those that are known, copies beside them, and files for keys. */
function mayHold(place: string): boolean {
  const plain = place.replace(/[.~](?:bak|backup|old|orig|tmp|\d+)$|~$/, "");
  return isSecret(place) || isSecret(plain) || /\.(?:pem|key|crt|cer|csr|pub|p12|pfx|jks)$/.test(plain);
}
