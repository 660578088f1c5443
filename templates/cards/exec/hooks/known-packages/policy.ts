import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  codeOf,
  gitSteps,
  oneOf,
  oneOfAnyCase,
  optionsOf,
  programCallOf,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";
import { lookAlikeOf } from "../../popular.ts";

/** The words with which package managers install or run a package. */
const VERB = oneOf("i in install isntall localinstall add exec x dlx run require global");
const ADDRESS = () =>
  /^(?:[\w.-]+(?:\[[\w,-]*\])?\s*@\s*)?(?:(?:git\+)?(?:https?|ssh|git|ftp|file(?=:\/\/[^./]))(?:\+\w+)?:\/\/|git@|github:|gitlab:|bitbucket:|gist:)/i;
/** Registries that many people use, their mirrors, and those of this machine. */
const OFFICIAL = () =>
  /^(?:sparse\+|git\+)?https?:\/\/(?:(?:registry\.(?:npmjs\.org|yarnpkg\.com|npmmirror\.com)|npm\.(?:pkg\.github\.com|jsr\.io)|(?:test\.|files\.)?pypi\.(?:org|python\.org)|files\.pythonhosted\.org|pypi\.(?:nvidia\.com|tuna\.tsinghua\.edu\.cn|doubanio\.com)|(?:mirrors?|repo)\.[\w.-]+\.(?:edu\.cn|com|org|cn)|rubygems\.org|(?:index|static)\.crates\.io|download\.pytorch\.org|data\.pyg\.org|conda\.anaconda\.org|proxy\.golang\.org|repo1?\.maven\.org|packages\.microsoft\.com)(?:[:/]|$)|(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$))/;
const SHORT_REPOSITORY = () => /^[\w-]+\/[\w.-]+(?:#[\w./-]+)?$/;
const WITHOUT = "Without a checked certificate or signature anybody on the way can change what arrives";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const unchecked = uncheckedBy(event);
    if (unchecked !== undefined) return { action: "deny", reason: `${WITHOUT}. ${insteadFor(unchecked)}` };
    for (const step of steps(event)) {
      const reason = whyAsk(step);
      if (reason !== undefined) return { action: "ask", reason, irreversible: true };
    }
    return undefined;
  },
});

/** The program that is told to skip its check. */
function uncheckedBy(event: ToolPolicyEvent): string | undefined {
  const isGit = gitSteps(event).some(
    ({ settings, subcommand, arguments: given }) =>
      settings.get("http.sslverify") === "false" ||
      settings.get("http.sslverify") === "0" ||
      (subcommand === "config" &&
        /^http\..*sslverify (?:false|0)$/i.test(given.filter((word) => !word.startsWith("-")).join(" "))),
  );
  return isGit ? "git" : steps(event).find(skipsCheck)?.program;
}

/** How each program is told which certificate or key to trust. */
function insteadFor(program: string): string {
  if (program === "git") return "Name the certificate of the server: git config http.sslCAInfo FILE";
  if (oneOf("npm pnpm yarn node")(program)) return "Name the certificate of the server: NODE_EXTRA_CA_CERTS=FILE";
  if (/^(?:pip[\d.]*|uv|python[\d.]*|conda)$/.test(program))
    return "Name the certificate of the server: pip --cert FILE, or verify=FILE in code";
  if (oneOf("apt apt-get yum dnf zypper apk")(program)) return "Let a person add the key of the repository";
  return program === "curl"
    ? "Name the certificate of the server: --cacert FILE"
    : "Name the certificate of the server, or let a person do it";
}

/** The same in code. */
const UNCHECKED_CODE = () =>
  /\bverify\s*=\s*False|_create_unverified_context|CERT_NONE|VERIFY_NONE|rejectUnauthorized["']?\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED["'\]]*\s*=\s*["']?0|InsecureSkipVerify\s*:\s*true|CURLOPT_SSL_VERIFYPEER\s*,\s*(?:false|0)/;
const LOCAL_CODE = () => /https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)/;
const LOCAL = () =>
  /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|[\w-]+\.(?:local|test|localhost|internal))(?:[:/]|$)/;

function skipsCheck(step: Step): boolean {
  const code = codeOf(step);
  if (code !== undefined && UNCHECKED_CODE().test(code.text) && !LOCAL_CODE().test(code.text)) return true;
  return saysSkip(step) && !step.arguments.some((word) => LOCAL().test(word));
}

function saysSkip(step: Step): boolean {
  const { program, arguments: given, environment } = step;
  const isSetting = program === "export" || program === "env";
  const set = [...[...environment].map((one) => one.join("=")), ...(isSetting ? given : [])];
  if (set.some((one) => UNCHECKED_VARIABLE().test(one))) return true;
  if (given.includes("config") && setsUnchecked(given)) return true;
  // gcloud's `--allow-unauthenticated` is about who may call a service.
  if (program === "gcloud") return false;
  const said = given.join(" ");
  const isSaid = ["check", "verify", "trust", "insecure", "ssl", "unauth", "force-yes"].some((one) =>
    said.includes(one),
  );
  if (isSaid && given.some((word, at) => UNCHECKED().test(word) || UNCHECKED().test(`${word}=${given[at + 1] ?? ""}`)))
    return true;
  const { has } = programCallOf(step);
  return (program === "curl" && has("k", "insecure") && !has("help", "version")) || said === "get -insecure";
}

const UNCHECKED_VARIABLE = () =>
  /^(?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY)=0$|^GO(?:INSECURE|NOSUMCHECK|NOSUMDB)=(?!0?$)|^GOSUMDB=off$|^GOFLAGS=.*-insecure\b|^GIT_SSL_NO_VERIFY=(?!(?:0|false)?$)/;
/** Options with which programs take what nobody has certified or signed. */
const UNCHECKED = () =>
  /^--(?:no-check-certificate|verify=(?:no|false)|trusted-host=.+|allow-insecure-(?:host|repositories)\b.*|(?:no-)?strict-ssl(?:=false)?|no-verify-(?:ssl|store-integrity)|allow-unauthenticated|force-yes|no-?gpg-?check\w*|allow-untrusted)$/;

/** `npm config set strict-ssl false`, `conda config --set ssl_verify no`, `pip config set global.trusted-host x`. */
function setsUnchecked(given: readonly string[]): boolean {
  return given.some((word, at) => {
    const [name = "", value = given[at + 1] ?? ""] = word.split("=");
    if (/(?:^|\.)trusted-host$/.test(name)) return value !== "";
    if (/(?:^|\.)disable-tls$/.test(name)) return oneOf("true 1")(value);
    return (
      /(?:^|[._-])(?:ssl_?verify|verify_?ssl|strict-ssl|enableStrictSsl|cert)$/i.test(name) &&
      oneOfAnyCase("false 0 no none")(value)
    );
  });
}

/** `npm config set registry URL`, `pip config set global.index-url URL`. */
function otherRegistry({ program, arguments: given }: Step): string | undefined {
  if (!given.includes("set") || !/^(?:npm|pnpm|yarn|pip[\d.]*|poetry|uv)$/.test(program)) return undefined;
  const at = given.findIndex((word) =>
    /^(?:registry|npmRegistryServer|(?:global|site|user)\.(?:extra-)?index-url)(?:=|$)/.test(word),
  );
  const where = given[at]?.split("=")[1] ?? given[at + 1] ?? "";
  return at >= 0 && ADDRESS().test(where) && !OFFICIAL().test(where) ? where : undefined;
}

const SOURCES = ["registry", "index-url", "extra-index-url", "find-links", "source", "git", "index"];
const SOURCE_VARIABLE = () =>
  /^(?:(?:PIP|UV)_(?:EXTRA_|DEFAULT_)?(?:INDEX(?:_URL)?|FIND_LINKS)|npm_config_registry|YARN_NPM_REGISTRY_SERVER|GOPROXY)$/i;

function whyAsk(step: Step): string | undefined {
  const { program, arguments: given, elsewhere } = step;
  if (elsewhere === "container") return undefined;
  const registry = otherRegistry(step);
  if (registry !== undefined)
    return `This makes ${registry} the source of all packages from now on. Name the registry in the one command`;
  if (programCallOf(step).does("runs") === undefined) return undefined;
  const isModule = /^python[\d.]*$/.test(program);
  const manager = isModule || /^pip[\d.]+$/.test(program) ? "pip" : program;
  const told = isModule ? given.slice(2) : given;
  // What follows the package is for the program in it.
  const isRunner = oneOf("npx pnpx bunx uvx")(manager) || oneOf("dlx exec x")(told[0] ?? "");
  const first = isRunner ? told.findIndex((word) => !word.startsWith("-") && !VERB(word)) : -1;
  const rest = first < 0 ? told : told.slice(0, first + 1);
  const { operands, values } = optionsOf(rest, {
    letters: `rceptwC${manager === "pip" ? "fi" : ""}`,
    names: [...SOURCES, "package", "requirement", "prefix", "target", "branch", "tag", "rev", "constraint"],
  });
  const set = [...step.environment].flatMap(([name, value]) =>
    SOURCE_VARIABLE().test(name) ? value.split(/\s+/) : [],
  );
  const source = [...values(...SOURCES, ...(manager === "pip" ? ["f", "i"] : [])), ...set].find(
    (where) => ADDRESS().test(where) && !OFFICIAL().test(where),
  );
  const names = [...(isRunner ? values("p", "package") : []), ...operands].filter((word) => !VERB(word));
  const isNpm = oneOf("npm pnpm yarn bun npx bunx")(manager);
  const address =
    source ??
    names.find(
      (name) =>
        ADDRESS().test(name) || (isNpm && manager !== "npx" && SHORT_REPOSITORY().test(name) && !name.startsWith("@")),
    );
  if (address !== undefined)
    return `This installs from ${address}, bypassing the registry and its checks. Install a released version by its name`;
  if (manager === "pip" && rest.includes("--break-system-packages"))
    return "This installs into the system's own Python, which its protection should keep as it is. Use a virtual environment: python -m venv .venv";
  const known = names.map((name) => lookAlikeOf(name, manager)).find((one) => one !== undefined);
  return known === undefined
    ? undefined
    : `This name looks like ${known}, and isn't. Install ${known} if that is meant`;
}
