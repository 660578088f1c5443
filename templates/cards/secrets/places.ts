import { once, oneOf } from "darwinian-minds/hook-policy/helpers";

/** The last word of the name of a secret. */
const SECRET_END = () =>
  /^(?:\w*(?:SECRET|TOKEN|PASSW(?:OR)?D)|PASS|SSHPASS|PASSPHRASE|KEY|APIKEY|AUTHTOKEN|CREDENTIALS?|CREDS|PAT|PWD|PW|JWT|PEM|AUTH)$/;
/** Words behind it that change nothing: `_OLD`, `_PROD`, `_1`. */
const VERSION = () =>
  /^(?:OLD|NEW|PREV(?:IOUS)?|PROD(?:UCTION)?|DEV|STAGING|LIVE|LOCAL|MAIN|PRIMARY|BACKUP|BASE64|B64|JSON|VALUE|BASE|RW|RO|V?\d+)$/;
/** Words before it that make it something else: a key of a table, a part of a text, a number. */
const HARMLESS_BEFORE = oneOf(
  "PUBLIC PUB PRIMARY FOREIGN PARTITION SORT CACHE HASH INDEX LOOKUP SHORTCUT HOT MAP DICT GROUP UNIQUE COMPOSITE ROUTING ORDER STATE PUBLISHABLE ANON OBJECT S3 ROW COLUMN FIELD JSON TRANSLATION I18N CONFIG SITE DEDUPE IDEMPOTENCY MAX MIN NUM TOTAL INPUT OUTPUT PROMPT COMPLETION NEXT PAGE CONTINUATION STOP EOS BOS PAD UNK CANCEL CANCELLATION FIRST LAST SSH HOST ANY EACH LAYOUT METADATA ARTIFACT RESTORE TEST BY BYTE FAIL TEST",
);
const ADDRESS_OF = () =>
  /(?:^|_)(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MONGO(?:DB)?|REDIS|AMQP|BROKER|SENTRY_AUTH)_(?:UR[IL]|DSN)$|CONNECTION_?STRING$|(?:^|_)WEBHOOK_(?:URL|SECRET)$/;

/** Whether the name of a variable says that a secret is in it: by its last word, and what stands before that. */
export function isSecretName(name: string): boolean {
  const plain = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toUpperCase();
  if (ADDRESS_OF().test(plain)) return true;
  const words = plain.split(/[_-]+/).filter((word) => word !== "");
  while (words.length > 1 && VERSION().test(words.at(-1) ?? "")) words.pop();
  const end = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  if (oneOf("KEYS TOKENS SECRETS")(end)) return oneOf("API AUTH ACCESS SECRET SIGNING")(before);
  if (!SECRET_END().test(end) || HARMLESS_BEFORE(before)) return false;
  // A name of one word is a secret only if the word means nothing else.
  return words.length > 1 ? name !== "OLDPWD" && name !== "OLD_PWD" : !oneOf("KEY PWD PASS PW PAT PEM AUTH")(end);
}

/** `.env` and what goes with it; not the example of one, which is for reading. */
const ENV = () =>
  /(?:^|\/)(?:[\w-]*\.)?env(?:rc)?(?:\.(?!(?:[\w-]+\.)*(?:example|sample|template|tmpl|dist|defaults?|schema|d\.ts|ts|js|mjs|py|go|rb|md|json)(?:\.|$))[\w.-]+)?$/i;
const ENV_START = () => /(?:^|\/)\.(?:env|envrc)/i;
const KEYS = () =>
  /(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-](?!pub$)[\w-]+)?|ssh_host_\w+_key|[\w.-]*(?:private|priv|secret|server|client|tls|ssl|deploy)[\w.-]*\.(?:pem|key)|[\w.-]+\.(?:p12|pfx|ppk|kdbx?|keystore|jks|asc\.key|ovpn)|[\w-]+\.key|key\.pem|privkey\d*\.pem|master\.key|\.vault[_-]pass(?:word)?(?:\.txt)?|\.htpasswd)$/i;
const HOME_FILES = () =>
  /^~\/(?:\.ssh\/(?!known_hosts|config$|.*\.pub$|authorized_keys)[^/].*|\.ssh\/?(?:\*.*)?|\.aws\/(?:credentials|\*|sso\/.*|cli\/cache.*)|\.aws|\.azure(?:\/.*)?|\.config\/gcloud(?:\/(?!configurations\/).*)?|\.kube\/(?:config|\*)|\.docker\/config\.json|\.npmrc|\.pypirc|\.netrc|_netrc|\.git-credentials|\.gnupg(?:\/.*)?|\.config\/(?:gh|hub|glab-cli|rclone|op|doppler|sops|stripe|heroku|git\/credentials|configstore|fly|netlify|vercel)(?:\/.*)?|\.vault-token|\.terraform\.d\/credentials.*|\.terraformrc|\.cargo\/credentials(?:\.toml)?|\.gem\/credentials|\.password-store(?:\/.*)?|\.pgpass|\.my\.cnf|\.mylogin\.cnf|\.s3cfg|\.boto|\.databrickscfg|\.snowflake\/.*|\.fly\/.*|\.local\/share\/keyrings(?:\/.*)?|Library\/Keychains(?:\/.*)?|\.config\/(?:containers|pypoetry|pip|uv|composer|nuget|hcloud|doctl|scw|linode-cli|civo|turso|neonctl|supabase|huggingface|wandb|openai|anthropic)\/(?:auth|credentials?|token|config|hosts)[\w.-]*|\.(?:huggingface|cache\/huggingface)\/token|\.(?:dlt|streamlit)\/secrets\.toml|\.composer\/auth\.json|\.nuget\/NuGet\.Config|\.m2\/settings(?:-security)?\.xml|\.gradle\/gradle\.properties|\.(?:bash|zsh|psql|mysql|python|node_repl)_history|\.claude\/\.credentials\.json|\.claude\.json|\.codex\/auth\.json|\.gemini\/oauth_creds\.json|\.agents|\.agents\/drwn|\.agents\/drwn\/keys(?:\/.*)?|\.kube|\.docker|\.wallet.*|\.bitcoin\/wallet\.dat|\.ethereum\/keystore.*|\.electrum\/wallets.*|\.solana\/id\.json|\.config\/solana\/id\.json)$/;
const BROWSERS = () =>
  /(?:^|\/)(?:Login Data|Cookies|Web Data|Local State|logins\.json|key[34]\.db|cookies\.sqlite|signons\.sqlite|login\.keychain(?:-db)?|wallet\.dat)$/;
const SYSTEM = () =>
  /^\/(?:etc\/(?:shadow|gshadow|master\.passwd|sudoers(?:\.d\/.*)?|krb5\.keytab|ssl\/private(?:\/.*)?|ssh\/ssh_host_\w+_key|letsencrypt\/.*\.pem|kubernetes\/.*\.conf|rancher\/.*\.yaml|security\/opasswd)|proc\/(?:self|\d+|\*|\$.+)\/environ|(?:var\/)?run\/secrets(?:\/.*)?|var\/lib\/(?:jenkins\/secrets|kubelet\/pki)(?:\/.*)?)$/;
const NAMED = () =>
  /(?:^|\/)(?:\.?secrets?(?:\.(?:ya?ml|json|toml|env|txt|enc|ini|properties|tfvars))?|credentials(?:\.(?:json|ya?ml|xml|csv|ini|txt))?|(?:aws|gcp|google|firebase|client|oauth|db|database)[\w-]*(?:secrets?|credentials?)(?:[\w.-]*)?\.(?:json|ya?ml|csv|txt)|service[-_]?account[\w-]*\.json|[\w-]*service[-_]?account[-_]?key[\w-]*\.json|[\w-]*adminsdk[\w-]*\.json|\.(?:git-credentials|netrc|pgpass|pypirc|dockercfg|docker\/config\.json|aws\/credentials|kube\/config|vault-token|boto|s3cfg)|kubeconfig(?:\.ya?ml)?|terraform\.tfstate(?:\.backup)?|passwords?\.(?:txt|csv|json|kdbx)|tokens?\.(?:txt|json))$/i;
/** drwn's keys, wherever its home is. */
const OWN_KEYS = () => /(?:^|\/)keys\/own(?:\/@[^/]*)?$/;
/** Files that a pattern such as `~/.aws/cred*` takes. */
const OF_HOME = once(() => [
  ...[
    "~/.ssh/id_rsa",
    "~/.ssh/id_ed25519",
    "~/.aws/credentials",
    "~/.kube/config",
    "~/.docker/config.json",
    "~/.netrc",
  ],
  ...[
    "~/.npmrc",
    "~/.pgpass",
    "~/.git-credentials",
    "~/.vault-token",
    "~/.codex/auth.json",
    "~/.claude/.credentials.json",
  ],
  "~/.agents/drwn/keys/own/@me.json",
]);

/** Code and settings that only mention secrets. */
const HARMLESS = () =>
  /\.(?:example|sample|template|tmpl|dist|md|ts|tsx|js|mjs|py|go|rb|rs|java|pub|enc|sops\.ya?ml|gpg|age)$|(?:^|\/)(?:tests?|spec|__tests__|fixtures?|testdata|examples?|mocks?)\//i;

/** Whether a place, as `resolvePlace` gives it, is known to hold secrets. */
export function isSecret(place: string): boolean {
  if (
    SYSTEM().test(place) ||
    (place.startsWith("~/") && HOME_FILES().test(place)) ||
    OWN_KEYS().test(place) ||
    takesOfHome(place)
  )
    return true;
  if (HARMLESS().test(place)) return false;
  return (
    isIgnored(place) ||
    BROWSERS().test(place) ||
    NAMED().test(place) ||
    isStarOfEnv(place) ||
    meansKeys(place.split("/").at(-1) ?? "")
  );
}

/** Whether a place, which holds secrets, is a file of lines such as `NAME=value`. */
export function isEnvFile(place: string): boolean {
  return ENV().test(place) || /(?:^|\/)\.env[^/]*$/i.test(place);
}

/** `.env` and keys, which git is told to ignore almost everywhere; not `k8s/secret.yaml`, which is committed. */
export function isIgnored(place: string): boolean {
  return (ENV().test(place) && ENV_START().test(place)) || KEYS().test(place);
}

/** `.env*`, `.e?v` and `.e*v` are spellings of it. */
function isStarOfEnv(place: string): boolean {
  const glob = /(?:^|\/)(\.(?:e|\?|\[)[^/]*[?*\]][^/]*)$/.exec(place)?.[1];
  if (glob !== undefined && meansEnv(glob)) return true;
  return /(?:^|\/)\.(?:e|\?)(?:n|\?|\[)[^/]*[?*[\]][^/]*$|(?:^|\/)\.en\*$|\/\.ssh\/(?:id_)?\*$|(?:^|\/)id_[rde?*]\S*\*/.test(
    place,
  );
}

/** `*.pem`, `*_rsa`: a pattern that finds keys, and nothing that any folder has. */
function meansKeys(glob: string): boolean {
  if (!/[*?[]/.test(glob) || glob.length > 40 || glob.split("*").length > 4) return false;
  const pattern = patternOf(glob);
  const finds = (names: readonly string[]) => pattern !== undefined && names.some((name) => pattern.test(name));
  return (
    finds([
      ".env",
      "private.pem",
      "server.key",
      "id_rsa",
      "id_ed25519",
      "my.p12",
      "my.pfx",
      "my.kdbx",
      "my.keystore",
      "secrets.yml",
      "secrets.json",
      "secrets.toml",
      "credentials.json",
    ]) &&
    !finds(["a", "a.b", "README.md", "main.ts", "index.js", "data.json", "app.yml", "i.py", "private", "server.ts"])
  );
}

/** A shell's star doesn't match a slash, nor a dot at the beginning of a name. */
function takesOfHome(place: string): boolean {
  if (!place.startsWith("~/") || !/[*?[]/.test(place) || place.length > 100 || place.split("*").length > 6)
    return false;
  const pattern = patternOf(place, "[^/]*");
  return pattern !== undefined && OF_HOME().some((file) => pattern.test(file));
}

function meansEnv(glob: string): boolean {
  if (glob.length > 40 || glob.split("*").length > 4) return true;
  const pattern = patternOf(glob);
  return pattern === undefined || [".env", ".env.local", ".envrc"].some((name) => pattern.test(name));
}

function patternOf(glob: string, star = ".*"): RegExp | undefined {
  const source = glob
    .replace(/[.+^$(){}|\\]/g, "\\$&")
    .replace(
      /[*?]/g,
      (sign, at: number, all: string) => `${all[at - 1] === "/" ? "(?!\\.)" : ""}${sign === "*" ? star : "."}`,
    )
    .replaceAll("[!", "[^");
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return undefined;
  }
}
