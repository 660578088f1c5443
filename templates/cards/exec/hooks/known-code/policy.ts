import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  codeOf,
  type Flow,
  flows,
  oneOf,
  optionsOf,
  type Step,
  shellTextsOf,
  steps,
} from "darwinian-minds/hook-policy/helpers";
import { runsWhatIsRead, runsWhatIsTyped } from "../../typed.ts";

const CODE_RUNS = () =>
  /\b(?:exec|eval|compile|system|popen|Function|spawn|runInThisContext|subprocess\.\w+|execSync|instance_eval|include|require)\b[^\n]*(?:urlopen|requests\.get|["']requests["']|httpx|urlretrieve|fetch\(|\.read\(\)|open-uri|Net::HTTP|b64decode|decode_base64|Base64\.\w*decode|atob|Buffer\.from\([^)]*["'](?:base64|hex)|decode\(["'](?:base64|hex|rot)|fromhex|unpack\(|pack\(|zlib|marshal\.loads|base64_decode|gzinflate|str_rot13|fromCharCode|codecs\.decode|file_get_contents\(\s*["']https?:|open\(\s*["']https?:|\bget\s*\(\s*["']https?:|join\(\s*chr|map\s*[({]\s*chr\b|popen\()|\b(?:eval|load|loadstring|instance_eval)\b[^\n]*\b(?:curl|wget)\b|(?:fetch\(|https?\.get\(|urlopen\(|requests\.get\()[^\n]*(?:\.then\(\s*(?:eval|Function)\b|\b(?:eval|exec|Function)\s*\()/;
/** A call that runs what it is given, around an address: `source("https://…")`, `include(download("https://…"))`. */
const RUNS_ADDRESS = () =>
  /(?<![\w.$])(?:eval(?:uate|parse)?|exec(?:file)?|source(?:_url)?|include(?:_once|_string)?|require_once|dofile|loadstring|load|Code\.eval_\w+)[\s(]+(?:[\w.:$-]+[\s(]+)*["'`](?:https?|ftp):\/\/(?!(?:localhost|127\.0\.0\.1|\[::1\])[:/])/;
/** A file of this machine, which anybody can read before it runs. */
const OPENED = () => /\bopen\(\s*["'](?!https?:)[^"'\n]*["'][^)\n]*\)\.read\(\)/g;
/** Letters written as numbers for no reason. */
const SPELLED = () => /\$'[^']*(?:\\x[2-7][0-9a-fA-F]|\\[01]?[0-7]{2}|\\u00[2-7][0-9a-fA-F]){2}/;
/** What remains of `\\x72\\x6d` after a printf whose output a shell runs. */
const SPELLED_PROGRAM = () => /^(?:\\?x[2-7][0-9a-f]){2,}|^(?:\\[01]?[0-7]{2}){2,}|^(?:[01][0-7]{2}){2,}$/i;
const IFS = () => /^[\w./-]+\$\{?IFS\b/;
const INSTEAD = "Save it to a file in the project, read it, then run the file";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const reason = whyNot(event);
    if (reason !== undefined) return { action: "deny", reason: `${reason}. ${INSTEAD}` };
    // Codex tells no hook what write_stdin types into a program that runs.
    const all = event.runtime === "codex" ? steps(event) : [];
    const typed = all.find(runsWhatIsTyped) ?? runsWhatIsRead(all);
    if (typed !== undefined)
      return {
        action: "deny",
        reason: `No guard sees what is typed into ${typed.program} later. Give it the text in this call, as in bash -c or python3 -c`,
      };
    const file = cloned(event);
    if (file === undefined) return undefined;
    return {
      action: "ask",
      reason: `\`${file}\` runs what has only just come from another machine. Fetch it first, read it, then run it in a call of its own`,
      irreversible: true,
    };
  },
});

function whyNot(event: ToolPolicyEvent): string | undefined {
  const hidden = "This hides what it runs behind numbers or blanks";
  if (shellTextsOf(event).some((text) => text.includes("$'") && SPELLED().test(unquoted(text)))) return hidden;
  const all = steps(event);
  for (const step of all) {
    if (/^\\?x?\d/i.test(step.path) && SPELLED_PROGRAM().test(step.path)) return hidden;
    if (step.path.includes("IFS") && IFS().test(step.path)) return hidden;
    if (
      ["pwsh", "powershell"].includes(step.program.toLowerCase()) &&
      step.arguments.some((word) => /^[-/\u2013-\u2015](?:e|ec|en|enc\w*)$/i.test(word)) &&
      !all.some(({ starter }) => starter === step)
    )
      return hidden;
    const code = codeOf(step);
    if (code !== undefined && (CODE_RUNS().test(code.text.replace(OPENED(), "")) || RUNS_ADDRESS().test(code.text)))
      return "This runs code that nobody has read: it comes from the network, or has to be decoded first";
    if (runsAddress(step)) return "This runs code from an address";
  }
  const run = flows(event, ["network", "decoded"]).filter(({ to }) => to === "code");
  const direct = run.find((flow) => !isUnpacked(flow));
  if (direct === undefined) return undefined;
  const by = direct.step?.program ?? "";
  return direct.from.kind === "network"
    ? `${by} would run what ${direct.from.written} brings from another machine`
    : `${by} would run what ${direct.from.written} decodes, which nobody could read before`;
}

/** A script of a repository or an archive: others look at these, too. */
function isUnpacked({ through }: Flow): boolean {
  return through.some(
    ({ program, arguments: given }) => /^(?:(?:bsd)?tar|unzip|7z\w*|cpio)$/.test(program) || given.includes("clone"),
  );
}

/** The file that the call runs from a repository or an archive that it has fetched itself. */
function cloned(event: ToolPolicyEvent): string | undefined {
  const flow = flows(event, ["network"]).find((one) => one.to === "code" && isUnpacked(one));
  return flow === undefined ? undefined : [flow.step?.path, ...(flow.step?.arguments ?? [])].join(" ");
}

/** The text without what is in plain quotes, which is only data. */
function unquoted(text: string): string {
  return text.replace(/(?<!\$)'[^']*'/g, "''");
}

function runsAddress({ program, arguments: given }: Step): boolean {
  if (!given.some((word) => /:|git\+/.test(word))) return false;
  if (
    !/^(?:deno|bun|bunx|npx|node|pnpx|uvx|pipx|python[\d.]*|go|uv|mshta|regsvr32|rundll32|wscript|php|java|dlx)$/.test(
      program,
    )
  )
    return false;
  const { operands } = optionsOf(given, {
    letters: program === "php" ? "Sd" : "c",
    names: ["registry", "index-url", "header"],
  });
  const first = operands.findIndex((word) => !oneOf("run exec x eval install i add get test serve remote")(word));
  return (
    /^(?:https?:\/\/|git\+|git:\/\/|github:)/.test(operands[first] ?? "") &&
    !oneOf("install get add i")(operands[0] ?? "")
  );
}
