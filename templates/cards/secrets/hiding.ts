import { once, oneOf, optionsOf, type Step } from "darwinian-minds/hook-policy/helpers";

/** What matches a name, and no `=`: `[A-Z_]*`, `[^=]+`, `\w+`. */
const NAME = String.raw`(?:\[\^=\]|(?:\[(?:A-Z|a-z|0-9|\d|_)+\]|\\w){1,2})(?:[*+]|\\\+)`;
const ONE_NAME = once(() => new RegExp(String.raw`^\^?(?:export )?${NAME}(?:=|\(\?==\))$`));
/** Replaces all from the first `=` by a text that repeats none of it; `p` prints the lines that had one. */
const WITHOUT_VALUE = once(() => {
  const whole = String.raw`=\.\*\$?\1[^&\\/|,#]*`;
  const named = String.raw`\^?\\?\(${NAME}\\?\)=\.\*\$?\1\\1=?`;
  return new RegExp(String.raw`^(?:/[^/]*/ ?)?s([/|,#])(?:${whole}|${named})\1g?(p?)$`);
});
const FIRST_FIELD = () =>
  /^\s*(?:!?\/[^/]*\/\s*&&\s*)?(?:(NF\s*>(?:\s*1|=\s*2)|\/[^/[|]*=(?![*?{])[^/|]*\/)|!?\/[^/]*\/)?\s*\{\s*print \$1;?\s*\}\s*$/;

/**
 * Whether a command shows only the names of lines such as `NAME=value`; "mostly": but a line without a `=` whole, such
 * as one of a key.
 */
export function namesAlone({
  program,
  arguments: given,
}: Pick<Step, "program" | "arguments">): "all" | "mostly" | null {
  const by = /^(?:cut|[efgmn]?(awk|sed|grep))$/.exec(program);
  if (by === null) return null;
  const letters = { awk: "Ffvi", sed: "efl", grep: "efmABC" }[by[1] ?? ""] ?? "bcdf";
  const { has, values, operands } = optionsOf(given, {
    letters,
    names: ["delimiter", "fields", "expression", "regexp"],
  });
  const all = (isAll: boolean) => (isAll ? "all" : "mostly");
  if (program === "cut") {
    const isFirst = values("f", "fields").join() === "1" && values("d", "delimiter").join() === "=";
    return isFirst && !has("complement") ? all(has("s", "only-delimited")) : null;
  }
  const [script = operands[0] ?? "", second] = values("e", "expression", "regexp");
  if (second !== undefined || has("f", "file")) return null;
  if (by[1] === "grep") return has("o", "only-matching") && ONE_NAME().test(script) ? "all" : null;
  if (has("i", "in-place")) return null;
  if (by[1] === "awk") {
    const found = values("F").join() === "=" ? FIRST_FIELD().exec(script) : null;
    return found && all(found[1] !== undefined);
  }
  const isSilent = has("n", "quiet", "silent");
  return (WITHOUT_VALUE().exec(script)?.[2] === "p") === isSilent && WITHOUT_VALUE().test(script)
    ? all(isSilent)
    : null;
}

const JQ_PART = () =>
  /^(?:\.[\w.[\]?]*|select\([^()]*\)|(?:unique|sort|group|min|max)_by\(\.[\w.]*\)|map\(\{(?:\w+|\(\.[\w.[\]]*\)): ?(?:length|\.[\w.[\]]*)\}\)|unique|sort|flatten|add|length|keys)$/;
/** `[…]` and `map(…)`: each of what a list holds is still of its kind. */
const AROUND = () => /(?<![\w.\])"?])\[((?:[^[\]]|\[\d*\])+)\]|\bmap\(([^(){}]*)\)/g;
const LABEL = () =>
  /\.(?:actions|address|type|mode|kind|provider_name|ttl|expire_time|renewable|policies)$|^(?:length|keys)$/;

/** Whether jq selects only what something is, or what happens to it: `.resource_changes[].change.actions`. */
export function selectsLabels({ program, arguments: given }: Pick<Step, "program" | "arguments">): boolean {
  if (program !== "jq") return false;
  const [script = ""] = optionsOf(given).operands;
  const parts = script
    .replace(AROUND(), "$1$2")
    .split("|")
    .map((part) => part.trim());
  const last = parts.findLast((part) => /^(?:\.|length|keys)/.test(part)) ?? "";
  return parts.every((part) => JQ_PART().test(part)) && LABEL().test(last.replace(/\[\]\??$/, ""));
}

/** Whether a program leaves a file that only the owner of another key can read. With a password, which the agent would choose, it doesn't. */
export function encrypts({ program, arguments: given }: Step): boolean {
  const [verb = ""] = given;
  const has = (pattern: RegExp) => given.some((word) => pattern.test(word));
  if (program === "sops")
    return oneOf("-e --encrypt encrypt updatekeys rotate -r --rotate")(verb) && !has(/^(?:-d|--decrypt)$/);
  if (program === "ansible-vault") return oneOf("encrypt create rekey")(verb) && !has(/^--output=?-?$|^\/dev\//);
  if (program === "dotenvx") return oneOf("encrypt set ls rotate")(verb);
  const hasRecipient = has(/^(?:-[a-zA-Z]*r|-R|--recipients?(?:-file)?)(?:=|$)/);
  if (program === "age" || program === "rage") return hasRecipient && !has(/^(?:-d|--decrypt|-p|--passphrase)$/);
  if (oneOf("gpg gpg2")(program))
    return hasRecipient && has(/^(?:-[a-z]*e[a-z]*|--encrypt)$/) && !has(/^(?:-d|--decrypt|-c|--symmetric)$/);
  return false;
}
