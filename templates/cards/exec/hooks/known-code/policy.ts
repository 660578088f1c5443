import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  codeOf,
  fetches,
  liesBelow,
  mentions,
  once,
  optionsOf,
  resolvePlace,
  type Step,
  shellTextsOf,
  steps,
} from "darwinian-minds/hook-policy/helpers";
import { runsWhatIsTyped } from "../../typed.ts";

const RUNNERS =
  /^(?:(?:ba|da|z|k|mk|c|tc|fi|a|rba)?sh|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua[\d.]*|osascript|pwsh|powershell|Rscript|tclsh|iex|Invoke-Expression|source|\.|eval|at|batch|parallel|xargs)$/i;
const FETCHING = once(
  () =>
    /\b(?:curl|wget2?|fetch|http|aria2c|lynx|nc|ncat|irm|iwr|Invoke-WebRequest|Invoke-RestMethod|DownloadString|lwp-request|urlopen)\b/i,
);
const DECODING =
  /\b(?:base64\s+(?:-{1,2}d\w*|-D)|base32\s+-{1,2}d|b64decode|xxd\s+-\w*r|openssl\s+(?:enc|base64|aes)[^|)]*\s-d|uudecode|atob|FromBase64String|basenc\s[^|)]*-{1,2}d|rev\b|rot(?:13|47)\b|caesar\b|tr\s+["']?[a-zA-Z]-[a-zA-Z]|(?:sed|perl)(?=\s)[^|)]*[\s"';](?:y|tr)(?:\/\w|\{\w)|gunzip|zcat|(?:bz|xz|zstd)cat|bunzip2|unxz|unzstd|(?:gzip|bzip2|xz|zstd)\s+-\w*d|hex2bin|unhex|printf\s+(?:["']?%b["']?\s+)?["']?(?:\\x|\\[0-7]{2,3})|echo\s+-\w*e\w*\s+["']?(?:\\x|\\0))/i;
/** Every way of decoding uses one of these words. Looking for them costs a hundredth of compiling the expression. */
const DECODERS =
  "base32 base64 basenc b64 xxd openssl uudecode atob rev rot caesar tr sed perl zip zcat xz zst hex printf echo".split(
    " ",
  );
const CODE_RUNS =
  /\b(?:exec|eval|compile|system|popen|Function|spawn|runInThisContext|subprocess\.\w+|execSync|instance_eval|include|require)\b[^\n]*(?:urlopen|requests\.get|["']requests["']|httpx|urlretrieve|fetch\(|\.read\(\)|open-uri|Net::HTTP|b64decode|decode_base64|Base64\.\w*decode|atob|Buffer\.from\([^)]*["'](?:base64|hex)|decode\(["'](?:base64|hex|rot)|fromhex|unpack\(|pack\(|zlib|marshal\.loads|base64_decode|gzinflate|str_rot13|fromCharCode|codecs\.decode|file_get_contents\(\s*["']https?:|open\(\s*["']https?:|\bget\s*\(\s*["']https?:|join\(\s*(?:chr|map\(\s*chr)|popen\()|\b(?:eval|load|loadstring|instance_eval)\b[^\n]*\b(?:curl|wget)\b|(?:fetch\(|https?\.get\(|urlopen\(|requests\.get\()[^\n]*(?:\.then\(\s*(?:eval|Function)\b|\b(?:eval|exec|Function)\s*\()/;
/** A file of this machine, which anybody can read before it runs. */
const OPENED = /\bopen\(\s*["'](?!https?:)[^"'\n]*["'][^)\n]*\)\.read\(\)/g;
/** Letters written as numbers for no reason. */
const SPELLED = /\$'[^']*(?:\\x[2-7][0-9a-fA-F]|\\[01]?[0-7]{2}|\\u00[2-7][0-9a-fA-F]){2}/;
/** What remains of `\\x72\\x6d` after a printf whose output a shell runs. */
const SPELLED_PROGRAM = /^(?:\\?x[2-7][0-9a-f]){2,}|^(?:\\[01]?[0-7]{2}){2,}|^(?:[01][0-7]{2}){2,}$/i;
const IFS = /^[\w./-]+\$\{?IFS\b/;
const INSTEAD = "Save it to a file in the project, read it, then run the file";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (
      event.runtime !== "codex" &&
      !mentions(
        event,
        /sh\b|python|node|perl|ruby|php|eval|exec|source|\||iex|Expression|deno|bun|go\b|\.\s|\.\/|clone|tar\b|zip|IFS|xargs|curl|wget|base64|pwsh|powershell/i,
      )
    )
      return undefined;
    const reason = whyNot(event);
    if (reason !== undefined) return { action: "deny", reason: `${reason}. ${INSTEAD}` };
    // Codex tells no hook what write_stdin types into a program that runs.
    const typed = event.runtime === "codex" ? steps(event).find(runsWhatIsTyped) : undefined;
    if (typed !== undefined)
      return {
        action: "deny",
        reason: `No guard sees what is typed into ${typed.program} later. Give it the text in this call, as in bash -c or python3 -c`,
      };
    const file = cloned(event);
    if (file === undefined) return undefined;
    return {
      action: "ask",
      reason: `${file} has only just come from another machine. Fetch it first, read it, then run it in a call of its own`,
    };
  },
});

function whyNot(event: ToolPolicyEvent): string | undefined {
  const hidden = "This hides what it runs behind numbers or blanks";
  if (shellTextsOf(event).some((text) => text.includes("$'") && SPELLED.test(unquoted(text)))) return hidden;
  const fetched = new Set<string>();
  const lines = new Set<string>();
  for (const step of steps(event)) {
    const isFed = step.feeders.some((one) => fetches(one) || decodes(one));
    if (step.program === "read" && isFed) for (const name of optionsOf(step.arguments).operands) lines.add(name);
    if (/^\\?x?\d/i.test(step.path) && SPELLED_PROGRAM.test(step.path)) return hidden;
    if (step.path.includes("IFS") && IFS.test(step.path)) return hidden;
    if (
      ["pwsh", "powershell"].includes(step.program.toLowerCase()) &&
      step.arguments.some((word) => /^-(?:e|ec|en|enc\w*)$/i.test(word))
    )
      return hidden;
    const code = codeOf(step);
    if (code !== undefined && CODE_RUNS.test(code.text.replace(OPENED, "")))
      return "This runs code that nobody has read: it comes from the network, or has to be decoded first";
    if ((isFed && runsLines(step)) || (lines.size > 0 && lines.has(/^\$\{?(\w+)\}?$/.exec(step.path)?.[1] ?? "")))
      return "This runs each line that another command fetches or decodes";
    if (step.feeders.some(fetches) && runsInput(step)) return "This runs what another machine sends";
    if (step.feeders.some(decodes) && runsInput(step))
      return "This runs what has to be decoded before anybody can read it";
    const given = [step.path, `${step.path} ${step.arguments.join(" ")}`, ...step.arguments].find((word) =>
      comesFrom(word, step),
    );
    if (given !== undefined || isHanded(step)) return "This runs what a command fetches or decodes";
    const file = fetched.size === 0 ? undefined : fileRun(step);
    if (file !== undefined && fetched.has(resolvePlace(file, step.folder)))
      return "This runs what another machine sends, or what was decoded just now";
    if (runsAddress(step)) return "This runs code from an address";
    for (const place of savedBy(step)) fetched.add(place);
  }
  return undefined;
}

/** The call runs a script of a repository or an archive that it has fetched itself. */
function cloned(event: ToolPolicyEvent): string | undefined {
  const folders = new Set<string>();
  const archives = new Set<string>();
  for (const step of steps(event)) {
    const { program, arguments: given, folder } = step;
    const file = folders.size === 0 ? undefined : fileRun(step);
    const place = file === undefined ? undefined : resolvePlace(file, folder);
    if (file !== undefined && place !== undefined && [...folders].some((one) => liesBelow(place, one))) return file;
    const { operands, values } = optionsOf(given, {
      letters: "bCdfo",
      names: ["branch", "depth", "directory", "origin"],
    });
    const at = /^(?:git|gh|hg)$/.test(program) ? operands.indexOf("clone") : -1;
    const url = at < 0 ? undefined : operands[at + 1];
    if (url !== undefined)
      folders.add(
        resolvePlace(
          operands[at + 2] ??
            url
              .replace(/(?:\.git)?\/?$/, "")
              .split(/[/:]/)
              .at(-1) ??
            "",
          folder,
        ),
      );
    for (const saved of savedBy(step)) archives.add(saved);
    const isFetched = step.feeders.some(fetches) || given.some((word) => archives.has(resolvePlace(word, folder)));
    if (isFetched && /^(?:tar|bsdtar|unzip|7z\w*|cpio)$/.test(program))
      folders.add(resolvePlace(values("C", "directory", "d")[0] ?? ".", folder));
  }
  return undefined;
}

/** The text without what is in plain quotes, which is only data. */
function unquoted(text: string): string {
  return text.replace(/(?<!\$)'[^']*'/g, "''");
}

/** An interpreter without a file: its program is its input. */
function runsInput(step: Step): boolean {
  const { program, arguments: given, redirections } = step;
  if (/^(?:uv|deno|bun|poetry|pipenv|hatch)$/.test(program) && given.includes("run") && given.at(-1) === "-")
    return true;
  if (!RUNNERS.test(program) || /^(?:source|\.|eval|xargs|parallel)$/.test(program))
    return (program === "source" || program === ".") && given[0] === "/dev/stdin";
  // What `< <(…)` prints is one of the feeders.
  if (redirections.some(({ operator, target }) => operator.startsWith("<") && !target.startsWith("<("))) return false;
  if (/^(?:iex|Invoke-Expression|at|batch)$/i.test(program)) return true;
  const isShell = /sh$/.test(program);
  if (!isShell && given.some((word) => /^-(?:\w*[cemrEnpl]|-eval|-print|-version|v)/.test(word))) return false;
  if (isShell && given.some((word) => /^-\w*c$/.test(word))) return false;
  const { operands, has } = optionsOf(given, { letters: isShell ? "oO" : "WX" });
  return operands.length === 0 || (isShell && has("s")) || operands[0] === "-" || operands[0] === "/dev/stdin";
}

/** `xargs -I{} sh -c '{}'`, `parallel`, and `eval "$line"` in a loop that reads: they run their input. */
function runsLines({ program, arguments: given, starter }: Step): boolean {
  if (program === "parallel") return optionsOf(given, { letters: "jSaIN", names: ["jobs"] }).operands.length === 0;
  const isShell = /^(?:ba|da|z|k|a)?sh$/.test(program);
  const text = isShell ? given[given.findIndex((word) => /^-\w*c$/.test(word)) + 1] : given.join(" ");
  const isOfInput = /^["']?(?:\{\}|%|\$\{?\w+\}?|\$[@*])?["']?$/.test(text ?? "");
  if (program === "eval") return isOfInput;
  return isShell && isOfInput && given.some((word) => /^-\w*c$/.test(word)) && starter !== undefined;
}

function decodes({ program, arguments: given }: Step): boolean {
  return program !== "tar" && isDecoding(`${program} ${given.join(" ")}`);
}

function isDecoding(text: string): boolean {
  const plain = text.toLowerCase();
  return DECODERS.some((word) => plain.includes(word)) && DECODING.test(text);
}

/** `$(curl …)` or `<(…)` as the program, or as the argument of a shell, `eval` or `source`. */
function comesFrom(word: string, step: Step): boolean {
  if (!/[(`]/.test(word) || !/^(?:\$\(|`|<\()|[\s;=]\$\(|^"?\$\(/.test(word)) return false;
  const isRun =
    (word.startsWith(step.path) && step.path !== "" && !word.startsWith("<(")) ||
    (RUNNERS.test(step.program) &&
      !/^(?:xargs|parallel)$/.test(step.program) &&
      (/^(?:eval|source|\.|iex|Invoke-Expression)$/i.test(step.program) ||
        word.startsWith("<(") ||
        isCodeOf(step, word)));
  return isRun && /^["\s]*(?:\$\(|`|<\()/.test(word) && (FETCHING().test(word) || isDecoding(word));
}

/** `bash <<< "$(curl …)"`. */
function isHanded({ program, redirections }: Step): boolean {
  return (
    redirections.some(
      ({ operator, target }) =>
        operator === "<<<" && /^["\s]*(?:\$\(|`)/.test(target) && (FETCHING().test(target) || isDecoding(target)),
    ) && RUNNERS.test(program)
  );
}

function isCodeOf({ arguments: given }: Step, word: string): boolean {
  return /^-{1,2}\w*(?:c|e|eval|Command|r)$/i.test(given[given.indexOf(word) - 1] ?? "");
}

function runsAddress({ program, arguments: given }: Step): boolean {
  if (!given.some((word) => /:|git\+/.test(word))) return false;
  if (
    !/^(?:deno|bun|bunx|npx|node|pnpx|uvx|pipx|python[\d.]*|go|mshta|regsvr32|rundll32|wscript|php|java|dlx)$/.test(
      program,
    )
  )
    return false;
  const { operands } = optionsOf(given, {
    letters: program === "php" ? "Sd" : "c",
    names: ["registry", "index-url", "header"],
  });
  const first = operands.findIndex((word) => !/^(?:run|exec|x|eval|install|i|add|get|test|serve|remote)$/.test(word));
  return (
    /^(?:https?:\/\/|git\+|git:\/\/|github:)/.test(operands[first] ?? "") &&
    !/^(?:install|get|add|i)$/.test(operands[0] ?? "")
  );
}

/** The file that a command runs: `bash x.sh`, `./x`, the Makefile of `make`. */
function fileRun({ program, path, arguments: given }: Step): string | undefined {
  if (/^g?make$/.test(program)) {
    const { values } = optionsOf(given, { letters: "CfjloW", names: ["directory", "file", "makefile"] });
    const folder = values("C", "directory").at(-1);
    return `${folder === undefined ? "" : `${folder}/`}${values("f", "file", "makefile").at(-1) ?? "Makefile"}`;
  }
  if (/^\.?\.?\/|^~\/|^\$/.test(path) || path.includes("/")) return path;
  if (program === "chmod") return undefined;
  return RUNNERS.test(program) ? optionsOf(given, { letters: "oO" }).operands[0] : undefined;
}

function savedBy(step: Step): string[] {
  const { program, arguments: given, redirections, folder } = step;
  const isFed = [step, ...step.feeders].some((one) => fetches(one) || decodes(one));
  if (!isFed) return [];
  const written = redirections.filter(({ operator }) => operator.includes(">")).map(({ target }) => target);
  const { values, operands, has } = optionsOf(given, {
    letters: program === "wget" ? "OPU" : "oHdXuAb",
    names: ["output", "output-document", "header", "directory-prefix"],
  });
  const prefix = values("P", "directory-prefix").at(-1);
  const named = program === "tee" ? operands : values("o", "O", "output", "output-document");
  const isOwnName =
    (program === "curl" && has("O", "remote-name")) ||
    (/^(?:wget|aria2c|axel|fetch)$/.test(program) && named.length === 0);
  const own = isOwnName
    ? operands.map(
        (url) =>
          `${prefix === undefined ? "" : `${prefix}/`}${
            url
              .replace(/[?#].*$/, "")
              .split("/")
              .at(-1) ?? ""
          }`,
      )
    : [];
  return [...written, ...named, ...own]
    .filter((file) => file !== "" && file !== "-")
    .map((file) => resolvePlace(file, folder));
}
