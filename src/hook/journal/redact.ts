import { codeUnitAt, getField, matchFrom, sliceText } from "../../hook-base/primordials.ts";

/**
 * Literals, since a policy could have replaced the constructor; made only for a text that may hold a secret. Upper and
 * lower case are spelt out, since patterns that ignore case take several times as long to prepare. Repetitions before a
 * match are bounded, so that no text takes long.
 */
function secrets(): readonly RegExp[] {
  return [
    // Keys of well-known services.
    /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|hf_|xox[abeoprs]-|sk-|[prs]k_(?:live|test)_|AIza|SG\.)[\w.-]{10,}/g,
    /\b(?:pypi-|rubygems_|dckr_pat_|dop_v1_|shp(?:at|ca|pa|ss)_|whsec_|lin_api_|hvs\.|ya29\.|ATATT|AGE-SECRET-KEY-1)[\w.-]{10,}/g,
    /\b(?:A[KS]IA[0-9A-Z]{16}|eyJ[\w-]{8,200}\.[\w-]{8,}\.[\w-]*)/g,
    /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/g,
    // `https://user:password@host`, `Bearer …`, `Cookie: …`
    /(?<=:\/\/[^\s/@:]{0,100}:)[^\s/@]+(?=@)/g,
    /(?<=\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC) )[\w.~+/=-]{12,}|(?<=\b[Cc]ookie: )[^\n"'\\]+/g,
    // `token=…`, `"secret": "…"`, `--password …`
    /(?<=(?:[Pp]ass(?:word|wd|phrase)|PASS(?:WORD|WD|PHRASE)|[Ss]ecret|SECRET|[Tt]oken|TOKEN|[Kk]ey|KEY|[Cc]redential|CREDENTIAL|[Aa]uthorization|[Ss]ession_?[Ii]d)[\w-]{0,20}(?:\\?["'])?(?:\s{0,2}[=:]\s{0,2}| ))(?:(?<=[=:"'\s])(?![Bb]earer |[Bb]asic )(?:\\?"(?:[^"\\]|\\[^"])*|'[^']*|(?<=--[\w-]{0,40}[= ]|[=:]\s{0,2})[^\s"',;&\\]+))/g,
  ];
}

/** Replaces everything in the text that looks like a secret. */
export function redactSecrets(text: string): string {
  if (!mayHoldSecret(text)) return text;
  const patterns = secrets();
  let redacted = text;
  for (let i = 0; i < patterns.length; i++) {
    const pattern = patterns[i];
    if (pattern !== undefined) redacted = redactMatches(redacted, pattern);
  }
  return redacted;
}

const SHORTEST_KEY = 12;

/** Most reasons need none of the patterns, and preparing those takes longer than everything else about the journal. */
function mayHoldSecret(text: string): boolean {
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = codeUnitAt(text, i);
    // `=`, `:` or two dashes.
    if (unit === 0x3d || unit === 0x3a) return true;
    if (unit === 0x2d && i > 0 && codeUnitAt(text, i - 1) === 0x2d) return true;
    // A space or a control character ends a run.
    run = unit <= 0x20 ? 0 : run + 1;
    if (run >= SHORTEST_KEY) return true;
  }
  return false;
}

function redactMatches(text: string, pattern: RegExp): string {
  let shown = "";
  let start = 0;
  for (let match = matchFrom(pattern, text, 0); match !== null; match = matchFrom(pattern, text, start)) {
    const found = getField(match, "0") as string;
    const index = getField(match, "index") as number;
    if (found.length === 0) break;
    shown += `${sliceText(text, start, index)}[redacted]`;
    start = index + found.length;
  }
  return shown + sliceText(text, start);
}
