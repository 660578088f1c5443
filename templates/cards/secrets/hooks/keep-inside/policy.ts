import { defineToolPolicy } from "darwinian-minds/hook-policy";
import {
  codeOf,
  effectsOf,
  inputTo,
  isRemote,
  literalsIn,
  mentions,
  once,
  resolvePlace,
  type Step,
  sentBy,
  steps,
} from "darwinian-minds/hook-policy/helpers";
import { isSecret, SECRET_NAME } from "../../places.ts";
import { namesSecret, printsEnvironment, printsSecret } from "../../printing.ts";

const REASON = "This sends a secret to another machine. Send what has no secret in it, or let a person send it";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|WebFetch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (event.toolName === "WebFetch")
      return TOKEN_IN_URL().test(JSON.stringify(event.input ?? "")) ? { action: "deny", reason: REASON } : undefined;
    if (
      !mentions(
        event,
        /curl|wget|http|nc\b|ncat|netcat|socat|telnet|ssh|scp|sftp|ftp|rsync|rclone|mail|dig|nslookup|host|ping|aws|gsutil|gcloud|az\b|gh\b|\/dev\/(?:tcp|udp)|socket|urlopen|requests|fetch|openssl|s3cmd|croc|wormhole|git|xh\b/i,
      )
    )
      return undefined;
    const tainted = new Set<string>();
    for (const step of steps(event)) {
      if (sends(step, tainted)) return { action: "deny", reason: REASON };
      if (isTainted(step, tainted)) for (const place of writtenIn(step)) tainted.add(place);
    }
    return undefined;
  },
});

const TOKEN_IN_URL = once(
  () => /[?&][^"]*(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|sk-[A-Za-z0-9-]{24,}|xox[abprs]-)/,
);

function sends(step: Step, tainted: ReadonlySet<string>): boolean {
  const sent = sentBy(step);
  const code = codeOf(step);
  if (code !== undefined && SENDING_CODE().test(code.text)) {
    const names = literalsIn(code);
    return (
      names.some(
        (one) =>
          isSecret(resolvePlace(one, step.folder)) ||
          (/^\w+$/.test(one) && SECRET_NAME().test(one) && !/header|auth|bearer/i.test(code.text)),
      ) || /(?:data|json|body|params)\s*[=:]\s*(?:dict\()?(?:os\.environ|process\.env)\b(?![.[]\w)/.test(code.text)
    );
  }
  if (sent === undefined) return false;
  if (sent.takesInput && [...inputTo(step)].some((place) => isSecret(place) || tainted.has(place))) return true;
  if (sent.takesInput && step.feeders.some((feeder) => isTainted(feeder, tainted))) return true;
  return sent.words.some((word) => isSecretWord(word, step, tainted));
}

const SENDING_CODE = once(
  () =>
    /urlopen|requests\.(?:post|put|get|patch|request)|httpx?\.|fetch\(|axios|socket|smtplib|ftplib|net\.connect|Net::HTTP|LWP|http\.request|https\.request|dns\.resolve|gethostbyname|file_get_contents\(['"]http|WebClient/,
);

function isSecretWord(word: string, step: Step, tainted: ReadonlySet<string>): boolean {
  if (namesSecret(word)) return true;
  const inner = /\$\((.*)\)|`(.*)`|<\((.*)\)/s.exec(word);
  if (inner !== null)
    return (
      /\b(?:printenv|env|export -p|set)\s*(?:\||$)/.test(inner[0]) ||
      inner[0].split(/[\s"'`$()<>|;]+/).some((part) => part !== "" && isSecret(resolvePlace(part, step.folder))) ||
      namesSecret(inner[0])
    );
  const file = /^(?:[\w.[\]-]*=)?[@<]?([^;]+)/.exec(word)?.[1] ?? word;
  if (isRemote(file)) return false;
  const place = resolvePlace(file, step.folder);
  return isSecret(place) || tainted.has(place);
}

/** Whether secrets are in what a command prints. */
function isTainted(step: Step, tainted: ReadonlySet<string>): boolean {
  if (printsSecret(step) || printsEnvironment(step) !== undefined) return true;
  return (
    effectsOf(step).some(({ does, place }) => does === "reads" && (isSecret(place) || tainted.has(place))) ||
    step.arguments.some((word) => /\$\(|`/.test(word) && isSecretWord(word, step, tainted)) ||
    (/^(?:tar|zip|7z\w*|cat|cp|gpg|openssl)$/.test(step.program) &&
      step.feeders.some((feeder) => isTainted(feeder, tainted)))
  );
}

const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  gpg: [".gpg", ".asc"],
  gpg2: [".gpg", ".asc"],
  gzip: [".gz"],
  bzip2: [".bz2"],
  xz: [".xz"],
  zstd: [".zst"],
};

/** The files that a command leaves something in: by redirection, as its last operand, or as an archive. */
function writtenIn(step: Step): string[] {
  const archives = /^(?:tar|bsdtar)$/.test(step.program)
    ? step.arguments.filter((word) => /\.(?:tar|tgz|tbz2?|txz|gz|bz2|xz|zst)$/.test(word))
    : /^(?:zip|7z\w*|rar)$/.test(step.program)
      ? step.arguments.filter((word) => !word.startsWith("-")).slice(0, 2)
      : [];
  const found = effectsOf(step);
  const written = found.filter(({ does }) => does === "writes").map(({ place }) => place);
  // gpg, gzip and the like append their extension to the file's name.
  const beside = Object.hasOwn(SUFFIXES, step.program)
    ? found
        .filter(({ does }) => does === "reads")
        .flatMap(({ place }) => (SUFFIXES[step.program] ?? []).map((suffix) => `${place}${suffix}`))
    : [];
  return [...written, ...beside, ...archives.map((word) => resolvePlace(word, step.folder))];
}
