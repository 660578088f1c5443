import { oneOf, oneOfAnyCase } from "../pattern/one-of.ts";
import { programCallOf } from "../programs/call.ts";
import { optionsOf } from "../programs/options.ts";
import { shapeOf } from "../programs/rows.ts";
import { callsIn } from "./code.ts";
import { isRemote } from "./effects.ts";
import { codeOf } from "./interpreters.ts";
import { isLoadedAt } from "./reads.ts";
import type { Step } from "./steps.ts";

/** What a command sends to another machine. */
export interface Sent {
  /** Arguments that are sent, or that name a file which is sent. Headers aren't among them. */
  words: string[];
  /** Whether it also sends what it reads from a pipe or a redirection. */
  takesInput: boolean;
  /** Words that say who sends it: headers, a password. */
  logins?: string[];
  /** The words are texts, and don't name files. */
  isText?: boolean;
}

const RAW = oneOf("nc ncat netcat telnet socat busybox-nc tftp ftp lftp pastebinit ix sprunge gist termbin");
const NAMES = oneOf("dig nslookup host drill kdig ping ping6 traceroute getent resolvectl whois");
const MAIL = oneOf("mail mailx mutt sendmail swaks msmtp s-nail ssmtp Send-MailMessage");
/**
 * What a command sends, by what its program is known to do; undefined: nothing. A fetching command sends the address.
 */
export function sentBy(step: Step): Sent | undefined {
  const sent = sentByProgram(step);
  // xargs turns its input into arguments.
  return sent !== undefined && step.starter?.program === "xargs" ? { ...sent, takesInput: true } : sent;
}

/** Words with which any client sends a file away, and those for what it keeps there as a secret. */
const SENDING = () => /^(?:upload|publish|send|share|put|transfer|paste|attach|push)(?:-\w+)*$/u;
const KEPT = () => /^(?:secrets?|variables?|env|login|auth|keyvault)$|(?:^|[-:])secrets?(?:[-:]|$)/u;
const HOSTED = () => /^(?:transfer\.sh|file\.io|0x0|bashupload|oshi|wormhole|termbin|gofile|imgur|pastebin\w*)$/u;
/** Programs whose words of that kind do something else, or that have rows of their own. */
const LOCAL = oneOfAnyCase(
  "git docker podman nerdctl kubectl oc helm npm pnpm yarn cargo gem pip twine stash pass echo printf grep rg sed awk tmux kitty adb aws gcloud az gsutil gh glab make node python3 python drwn vault op",
);
const SENDING_CODE = () =>
  /urlopen|requests\.(?:post|put|get|patch|request)|httpx?\.|fetch\(|axios|socket|smtplib|ftplib|net\.connect|Net::HTTP|LWP|http\.request|https\.request|dns\.resolve|gethostbyname|file_get_contents\(['"]http|WebClient|HttpClient|HTTP::Tiny|Faraday|curl_exec|Guzzle|\.goto\([^\n]*readFile|sendBeacon/;

function sentByProgram(step: Step): Sent | undefined {
  const { program, arguments: given } = step;
  const code = codeOf(step)?.text;
  if (code !== undefined) return SENDING_CODE().test(code) ? { words: [], takesInput: /stdin/u.test(code) } : undefined;
  if (program === "curl" || program === "curlie") return sentByCurl(given);
  if (program === "wget" || program === "wget2") {
    const files = optionsOf(given, shapeOf("wget"));
    return {
      words: [...files.values("post-data", "post-file", "body-data", "body-file"), ...files.operands.map(asAddress)],
      takesInput: false,
      logins: files.values("header"),
    };
  }
  if (oneOf("http https xh xhs httpie")(program))
    return { words: given.filter((word) => !/^[\w-]+:(?!=)/u.test(word)), takesInput: true };
  if (RAW(program)) return { words: given, takesInput: true };
  if (NAMES(program)) return { words: given, takesInput: program === "dig" };
  if (MAIL(program)) return { words: given, takesInput: true };
  if (program === "openssl") return given[0] === "s_client" ? { words: [], takesInput: true } : undefined;
  if (program === "ssh")
    return { words: given.slice(1).filter((word, at) => given[at] !== "-i" && word !== "-i"), takesInput: true };
  if (oneOf("scp rsync sftp")(program)) {
    const { operands } = optionsOf(given, shapeOf(program));
    return isRemote(operands.at(-1) ?? "")
      ? { words: operands.slice(0, -1), takesInput: program === "sftp" }
      : undefined;
  }
  if (HOSTED().test(program)) return { words: given, takesInput: true };
  if (!LOCAL(program) && given.some((word) => SENDING().test(word)) && !isKept(given))
    return {
      words: sentWords(step),
      takesInput: true,
    };
  if (programCallOf(step).does("sends") === undefined || isKept(given)) return undefined;
  const isGist = program === "gh" || program === "glab" || oneOf("croc wormhole ipfs")(program);
  const isOut =
    isGist ||
    given.some((word) => isRemote(word) && given.indexOf(word) > 1) ||
    oneOf("rclone mc")(program) ||
    given.some((word) => /^(?:put-|send-|publish|invoke|upload)/u.test(word));
  // What comes from there isn't sent.
  const places = given.filter((word, at) => !word.startsWith("-") && at > 1);
  if (!isGist && places.length > 1 && isRemote(places[0] ?? "") && !given.some((word) => SENDING().test(word)))
    return undefined;
  return isOut
    ? {
        words: sentWords(step),
        takesInput: true,
      }
    : undefined;
}

/** With such an option a program logs in. */
const LOGIN = () =>
  /^--?(?:[\w-]*(?:token|key|password|passwd|secret|auth|user|username|header|credentials?|dsn)|H|u|p)(?:=|$)/iu;

/** The words of a program that sends what they name, without its own keys and settings. */
function sentWords(step: Step): string[] {
  const { arguments: given } = step;
  return given.filter((word, at) => {
    const option = given[at - 1] ?? "";
    if (LOGIN().test(word) || (LOGIN().test(option) && !option.includes("="))) return false;
    return !isLoadedAt(step, at) || /^-{1,2}f/u.test(option);
  });
}

/** `secret set`: the verbs of a program, which stand before its options, say that it keeps a secret. */
function isKept(given: readonly string[]): boolean {
  const end = given.findIndex((word) => word.startsWith("-"));
  return given.slice(0, Math.min(3, end < 0 ? 3 : end)).some((word) => KEPT().test(word));
}

/** The options of curl for what it sends. */
const BODIES =
  "d data data-raw data-binary data-urlencode data-ascii F form form-string T upload-file json url-query".split(" ");

function sentByCurl(given: readonly string[]): Sent {
  const { values, operands } = optionsOf(given, shapeOf("curl"));
  const bodies = values(...BODIES);
  const takesInput = bodies.some((word) => /^(?:@?-|[\w.-]*=?@-|\.|.*<-)$/u.test(word) || /@\/dev\/stdin/u.test(word));
  return {
    words: [...bodies, ...operands.map(asAddress), ...values("url", "b", "cookie", "A", "user-agent", "e", "referer")],
    takesInput,
    logins: values("H", "header", "u", "user"),
  };
}

/** `$WEBHOOK_URL/x` is where it goes, not what goes there; `file://x` goes nowhere. */
function asAddress(word: string): string {
  return word.replace(/^\$(?:\w+|\{\w+\})|^file:.*/isu, "");
}

const FETCHERS = oneOfAnyCase(
  "curl curlie wget wget2 iwr irm fetch http https xh aria2c axel lynx w3m nc ncat netcat socat get lwp-request lwp-download ftp tftp dig ssh",
);

/** Whether a command fetches something from another machine. */
export function fetches(step: Step): boolean {
  if (FETCHERS(step.program) && !oneOf("dig ssh")(step.program)) return true;
  if (programCallOf(step).does("fetches") !== undefined) return true;
  if (step.redirections.some(({ operator, target }) => operator.startsWith("<") && /^\/dev\/tcp\//u.test(target)))
    return true;
  const code = codeOf(step);
  if (code === undefined) return false;
  return /urlopen|requests\.get|https?\.get\(|\bfetch\(|urlretrieve|download_file|LWP|Net::HTTP|open-uri|file_get_contents\(['"]http/u.test(
    code.text,
  );
}

/** Programs that copy from another place, with the words after which they do. */
const COPIERS = oneOf("scp rsync sftp aws gsutil gcloud rclone mc s3cmd az");

/** The files that a command fetches under names of their own: `curl -O`, `wget`, `scp host:x .`, `gh release download`. */
export function fetchedInto(step: Step): string[] {
  const { program, arguments: given } = step;
  const nameOf = (address: string) =>
    address
      .replace(/[?#].*$/u, "")
      .split(/[/:]/u)
      .at(-1) ?? "";
  if (oneOf("curl wget wget2 aria2c axel fetch")(program)) {
    const { has, values, operands } = optionsOf(given, shapeOf(program));
    const isOwn =
      program === "curl"
        ? has("O", "remote-name", "remote-name-all", "J")
        : values("O", "output-document").length === 0;
    const into = values("P", "directory-prefix", "output-dir").at(-1);
    return isOwn
      ? operands.map((url) => `${into === undefined ? "" : `${into}/`}${nameOf(url)}`).filter((name) => name !== "")
      : [];
  }
  if (program === "gh" && given.includes("download")) {
    const { values } = optionsOf(given, shapeOf("gh release"));
    const into = values("D", "dir")[0] ?? ".";
    return [...values("O", "output"), ...values("p", "pattern").map((name) => `${into}/${name}`)];
  }
  const code = codeOf(step);
  if (code !== undefined)
    return callsIn(code).flatMap(({ name, literals }) =>
      /(?:^|\.)(?:urlretrieve|downloadFile|download_file|getstore)$/u.test(name) ? literals.slice(1) : [],
    );
  if (!COPIERS(program)) return [];
  const { operands } = optionsOf(given, shapeOf(program));
  const [from, to] = operands.slice(-2);
  if (from === undefined || to === undefined || !isRemote(from) || isRemote(to) || to === "-") return [];
  return [to, `${to}/${nameOf(from)}`];
}

/** Whether a tool that nobody knows sends away the files that its input names. */
export function sendsByTool(toolName: string): boolean {
  const own = /^mcp__.*?__(.*)$/su.exec(toolName)?.[1] ?? "";
  return /(?:^|_)(?:upload|publish|send|share|attach|post|email|gist|paste)(?:_|$)/iu.test(
    own.replace(/(?<=[a-z])(?=[A-Z])/gu, "_"),
  );
}
