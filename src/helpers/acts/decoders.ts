import { oneOf } from "../pattern/one-of.ts";
import { fetchedInto, fetches } from "./network.ts";
import type { Step } from "./steps.ts";

const DECODING = () =>
  /\b(?:base64\s+(?:-{1,2}d\w*|-D)|base32\s+-{1,2}d|b64decode|xxd\s+-\w*r|openssl\s+(?:enc|base64|aes)[^|)]*\s-d|uudecode|atob|FromBase64String|basenc\s[^|)]*-{1,2}d|rev\b|rot(?:13|47)\b|caesar\b|tr\s+["']?[a-zA-Z](?:-[a-zA-Z]|[a-zA-Z]+["']?\s+["']?[a-zA-Z]{2})|(?:sed|perl)(?=\s)[^|)]*[\s"';](?:y|tr)(?:\/\w|\{\w)|gunzip|zcat|(?:bz|xz|zstd)cat|bunzip2|unxz|unzstd|(?:gzip|bzip2|xz|zstd)\s+-\w*d|hex2bin|unhex|(?:gpg2?|age)\s+(?:-\S+\s+)*(?:-d|--decrypt)\b|printf\s+(?:["']?%b["']?\s+)?["']?(?:\\x|\\[0-7]{2,3})|echo\s+-\w*e\w*\s+["']?(?:\\x|\\0))/i;
/** Every way of decoding uses one of these words. Looking for them costs a hundredth of compiling the expression. */
const DECODERS =
  "base32 base64 basenc b64 xxd openssl uudecode atob rev rot caesar tr sed perl zip zcat xz zst hex printf echo gpg age".split(
    " ",
  );

/** Whether a command turns what it gets into something else that nobody could read before. */
export function decodes({ program, arguments: given }: Step): boolean {
  // What is in a substitution is a command of its own.
  const text = [program, ...given.filter((word) => !/[$<]\(|`/u.test(word))].join(" ");
  const plain = text.toLowerCase();
  return program !== "tar" && DECODERS.some((word) => plain.includes(word)) && DECODING().test(text);
}

/** Whether a command brings what nobody has read: from another machine, or by decoding it. */
export function bringsFromElsewhere(step: Step): boolean {
  const isToMachine = ({ target }: { target: string }) =>
    target.startsWith("/dev/tcp/") || target.startsWith("/dev/udp/");
  return (
    step.elsewhere === "machine" ||
    fetches(step) ||
    decodes(step) ||
    clones(step) ||
    step.redirections.some(isToMachine) ||
    fetchedInto(step).length > 0
  );
}

export function clones({ program, arguments: given }: Step): boolean {
  return oneOf("git gh hg svn")(program) && given.some((word) => word === "clone" || word === "checkout");
}
