import { isInRunning, oneOf, optionsOf, programCallOf, type Step } from "darwinian-minds/hook-policy/helpers";
import { isSecretName } from "./places.ts";

/** Programs whose words of the same kind are texts, or mean something else. */
const LOCAL = () =>
  /^(?:echo|printf|e?grep|rg|ag|git|npm|pnpm|yarn|bun|make|just|node|python[\d.]*|cat|ls|cd|mkdir|rm|touch|sed|awk|find|cargo|go|conda|mamba|micromamba|pyenv|test|cp|mv|tee|jq|kill|task|rails|tmux|drwn|ssh|scp|curl|wget|vim|code|open|which|type|export|declare|set)$/;
const OPTION = () =>
  /^--(?:show-(?:secrets?|tokens?|values?|passwords?|sensitive|plaintext)|reveal|with-decryption|include-(?:sensitive|secrets?)|unmask(?:ed)?|plaintext|with-secrets)(?:=true)?$|^-AsPlainText$/i;
const NAMES_ONLY = oneOf("--only-names --name-only --names-only --only-keys --keys-only --help --version -h -keys");
/** `get-secret-value`, `print-access-token`, `dump-keychain`. */
const WHOLE_VERB = () =>
  /^(?:batch-)?(?:get|read|show|export|print|dump|reveal|fetch|access|lookup|find)-(?:[a-z]+-)*(?:secrets?|passwords?|tokens?|credentials?|keychain|keys?)(?:-[a-z]+)?$|^create-(?:access-key|key-pair|token)$|^assume-role(?:-[\w-]+)?$/;
const NO_VALUE = () => /^get-credentials$|public|random|policy|metadata|-keys?-(?:id|policy|rotation)|describe|report/;
const NOUN = oneOf(
  "secret secrets password passwords credential credentials creds token tokens apikey apikeys api-key api-keys kv env environment var vars variable variables item items",
);
const VERB = oneOf("get show read view access reveal print export download dump cat decrypt lookup fetch open");
/** Whether a program hands out a secret that it keeps for its user. */
export function printsSecret(step: Step): boolean {
  const { program, arguments: given } = step;
  if (given.some((word) => NAMES_ONLY(word)) || isOfNames(given)) return false;
  if (programCallOf(step).does("reveals") !== undefined) return true;
  if (LOCAL().test(program) || oneOf("kubectl oc docker podman terraform tofu")(program)) return false;
  if (given.some((word) => OPTION().test(word) || (WHOLE_VERB().test(word) && !NO_VALUE().test(word)))) return true;
  const words = given.flatMap((word) => (word.startsWith("-") ? [] : word.split(":").slice(0, 3))).slice(0, 4);
  const noun = words.findIndex((word) => NOUN(word));
  return noun >= 0 && words.some((word, at) => VERB(word) && words[at - 1] !== "metadata" && Math.abs(at - noun) <= 2);
}

/** `kubectl get secret db -o name`: only names and kinds. */
function isOfNames(given: readonly string[]): boolean {
  const format = given.map((word, at) =>
    oneOf("-o --output")(word) ? (given[at + 1] ?? "") : (/^(?:-o|--output)=?(.+)$/.exec(word)?.[1] ?? ""),
  );
  return format.some((one) =>
    /^(?:name|wide)$|^jsonpath=\{\.(?:items\[\*\]\.)?(?:metadata\.[\w.]+|type|kind)\}$/.test(one),
  );
}

/** With these, `docker compose config` shows no variables of an env file. */
const COMPOSE_NAMES = () =>
  /^(?:-q|--(?:quiet|services|images|volumes|networks|profiles|hash|no-interpolate|no-env-resolution)(?:=.*)?)$/;

/** `docker run --env-file .env`, `docker run -e STRIPE_KEY`. */
function isGivenSecrets({ starter }: Step): boolean {
  if (starter === undefined) return false;
  const isSecretGiven = (word: string, at: number) =>
    /^--env-file\b/.test(word) ||
    (oneOf("-e --env")(starter.arguments[at - 1] ?? "") && isSecretName(word.replace(/=.*/s, "")));
  return starter.arguments.some(isSecretGiven) || isGivenSecrets(starter);
}

/** Whether a command prints the environment, or one of its secrets by name. */
export function printsEnvironment(step: Step): "all" | "secret" | undefined {
  const { program, arguments: given } = step;
  // A container that runs has its secrets in its environment; one that is made for the command has what it is given.
  const isMade = step.elsewhere === "container" && !isInRunning(step) && !isGivenSecrets(step);
  if (isMade || step.elsewhere === "machine") return undefined;
  const { has, operands } = optionsOf(given, { letters: "uCS", names: ["unset", "chdir"] });
  if (program === "env" && operands.every((word) => /^\w+=/.test(word)) && !has("S", "split-string", "help", "version"))
    return has("i", "ignore-environment") ? undefined : "all";
  if (oneOf("jq gojq jaq")(program)) {
    const script = given.find((word) => !word.startsWith("-")) ?? "";
    const [, named] = /(?:\$ENV|(?<![.\w$])env)\b(?:(?:\.?\["|\.)(\w+))?(?!\s*[:|]\s*(?:keys|length|has))/.exec(
      script,
    ) ?? [null, null];
    return named === null ? undefined : named === undefined ? "all" : isSecretName(named) ? "secret" : undefined;
  }
  const isCompose = /-compose$/.test(program) || given.includes("compose");
  if (isCompose && given.includes("config") && !given.some((word) => COMPOSE_NAMES().test(word))) return "all";
  if (program === "printenv") return operands.length === 0 ? "all" : operands.some(isSecretName) ? "secret" : undefined;
  if (program === "set" && given.length === 0) return "all";
  if (program === "export" && (given.length === 0 || (has("p") && operands.length === 0))) return "all";
  if (oneOf("declare typeset")(program) && !has("f", "F")) {
    if (operands.length === 0 && !has("a", "A")) return "all";
    if (has("p") && operands.some(isSecretName)) return "secret";
  }
  const showsOthers = program === "ps" && given.some((word) => /^[auxw]*e[auxwe]*$/.test(word));
  return showsOthers ? "all" : undefined;
}
