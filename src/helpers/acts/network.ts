import { optionsOf } from "../programs/options.ts";
import { once } from "../shell/once.ts";
import { oneOfAnyCase } from "../shell/one-of.ts";
import { isRemote } from "./effects.ts";
import { codeOf } from "./interpreters.ts";
import { resolvePlace } from "./places.ts";
import type { Step } from "./steps.ts";

/** What a command sends to another machine. */
export interface Sent {
  /** Arguments that are sent, or that name a file which is sent. Headers aren't among them. */
  words: string[];
  /** Whether it also sends what it reads from a pipe or a redirection. */
  takesInput: boolean;
}

const CURL = {
  letters: "dFTAbHuUeXomwxKcCEPQrtyYz",
  names: [
    "data",
    "data-raw",
    "data-binary",
    "data-urlencode",
    "data-ascii",
    "form",
    "form-string",
    "upload-file",
    "json",
    "url",
    "header",
    "user",
    "output",
    "request",
    "user-agent",
    "cookie",
    "proxy",
    "max-time",
    "write-out",
    "cacert",
    "cert",
    "key",
    "config",
    "resolve",
    "connect-timeout",
    "retry",
    "referer",
    "url-query",
  ],
};
const RAW = /^(?:nc|ncat|netcat|telnet|socat|busybox-nc|tftp|ftp|lftp|pastebinit|ix|sprunge|gist|termbin)$/u;
const NAMES = /^(?:dig|nslookup|host|drill|kdig|ping6?|traceroute|getent|resolvectl|whois)$/u;
const MAIL = /^(?:mail|mailx|mutt|sendmail|swaks|msmtp|s-nail|ssmtp|Send-MailMessage)$/u;
/** The words after which each program copies to a place on the network. */
const COPYING = once(
  (): Readonly<Record<string, RegExp>> => ({
    aws: /^(?:cp|mv|sync|put-object|put-parameter|send-message|publish|invoke)$/,
    gsutil: /^(?:cp|mv|rsync)$/,
    gcloud: /^(?:cp|mv|rsync|scp|publish)$/,
    az: /^(?:upload|upload-batch|copy)$/,
    rclone: /^(?:copy|copyto|sync|move|moveto|rcat)$/,
    s3cmd: /^(?:put|sync)$/,
    mc: /^(?:cp|mirror|pipe|put)$/,
    gh: /^(?:create|comment|edit|upload|review)$/,
    glab: /^(?:create|note)$/,
    croc: /^send$/,
    wormhole: /^(?:send|tx)$/,
    ipfs: /^add$/,
  }),
);

/**
 * What a command sends, by what its program is known to do; undefined: nothing. A fetching command sends the address.
 */
export function sentBy(step: Step): Sent | undefined {
  const sent = sentByProgram(step);
  // xargs turns its input into arguments.
  return sent !== undefined && step.starter?.program === "xargs" ? { ...sent, takesInput: true } : sent;
}

function sentByProgram(step: Step): Sent | undefined {
  const { program, arguments: given, redirections } = step;
  if (redirections.some(({ target }) => /^\/dev\/(?:tcp|udp)\//u.test(target)))
    return { words: given, takesInput: true };
  if (program === "curl" || program === "curlie") return sentByCurl(given);
  if (program === "wget" || program === "wget2") {
    const files = optionsOf(given, { letters: "OoPUe", names: ["header", "user-agent", "output-document"] });
    return {
      words: [...files.values("post-data", "post-file", "body-data", "body-file"), ...files.operands],
      takesInput: false,
    };
  }
  if (/^(?:http|https|xh|xhs|httpie)$/u.test(program))
    return { words: given.filter((word) => !/^[\w-]+:(?!=)/u.test(word)), takesInput: true };
  if (RAW.test(program)) return { words: given, takesInput: true };
  if (NAMES.test(program)) return { words: given, takesInput: program === "dig" };
  if (MAIL.test(program)) return { words: given, takesInput: true };
  if (program === "openssl") return given[0] === "s_client" ? { words: [], takesInput: true } : undefined;
  if (program === "ssh")
    return { words: given.slice(1).filter((word, at) => given[at] !== "-i" && word !== "-i"), takesInput: true };
  if (/^(?:scp|rsync|sftp)$/u.test(program)) {
    const { operands } = optionsOf(given, { letters: "ieoPFJlScf", names: ["rsh", "exclude", "include"] });
    return isRemote(operands.at(-1) ?? "")
      ? { words: operands.slice(0, -1), takesInput: program === "sftp" }
      : undefined;
  }
  const copies = Object.hasOwn(COPYING(), program) ? COPYING()[program] : undefined;
  if (copies === undefined || !given.some((word) => copies.test(word))) return undefined;
  const isGist = program === "gh" || program === "glab" || /^(?:croc|wormhole|ipfs)$/u.test(program);
  const isOut =
    isGist ||
    given.some((word) => isRemote(word) && given.indexOf(word) > 1) ||
    /^(?:rclone|mc)$/u.test(program) ||
    given.some((word) => /^(?:put-|send-|publish|invoke|upload)/u.test(word));
  return isOut ? { words: given, takesInput: true } : undefined;
}

function sentByCurl(given: readonly string[]): Sent {
  const { values, operands } = optionsOf(given, CURL);
  const bodies = values(
    "d",
    "data",
    "data-raw",
    "data-binary",
    "data-urlencode",
    "data-ascii",
    "F",
    "form",
    "form-string",
    "T",
    "upload-file",
    "json",
    "url-query",
  );
  const takesInput = bodies.some((word) => /^(?:@?-|[\w.-]*=?@-|\.|.*<-)$/u.test(word) || /@\/dev\/stdin/u.test(word));
  return {
    words: [...bodies, ...operands, ...values("url", "b", "cookie", "A", "user-agent", "e", "referer")],
    takesInput,
  };
}

/** The files that are redirected to a command's standard input, as `resolvePlace` writes them. */
export function inputTo({ redirections, folder }: Step): string[] {
  return redirections.filter(({ operator }) => operator === "<").map(({ target }) => resolvePlace(target, folder));
}

const FETCHERS = oneOfAnyCase(
  "curl curlie wget wget2 fetch http https xh aria2c axel lynx w3m nc ncat netcat socat get lwp-request lwp-download iwr irm invoke-webrequest invoke-restmethod ftp tftp dig ssh",
);

/** The words with which each program prints something from the network. */
const SHOWING = once(
  (): Readonly<Record<string, RegExp>> => ({
    aws: /\bs3 cp s3:.* -$|\b(?:get-parameter|get-object|get-secret-value)\b/u,
    gsutil: /^cat\b/u,
    gcloud: /\bstorage cat\b/u,
    rclone: /^cat\b/u,
    gh: /^(?:gist view|api|release download)\b/u,
    glab: /^(?:snippet view|api)\b/u,
    dig: /\btxt\b/iu,
    host: /\btxt\b/iu,
    nslookup: /\btxt\b/iu,
  }),
);

/** Whether a command fetches something from another machine. */
export function fetches(step: Step): boolean {
  if (FETCHERS(step.program) && !/^(?:dig|ssh)$/u.test(step.program)) return true;
  const shows = Object.hasOwn(SHOWING(), step.program) ? SHOWING()[step.program] : undefined;
  if (shows?.test(step.arguments.join(" "))) return true;
  if (step.redirections.some(({ operator, target }) => operator.startsWith("<") && /^\/dev\/tcp\//u.test(target)))
    return true;
  return /urlopen|requests\.get|https?\.get\(|\bfetch\(|LWP|Net::HTTP|open-uri|file_get_contents\(['"]http/u.test(
    codeOf(step)?.text ?? "",
  );
}
