import { isInRunning, once, optionsOf, type Step } from "darwinian-minds/hook-policy/helpers";
import { SECRET_NAME } from "./places.ts";

/** For each program, the words with which it prints a secret: all of them, in this order. */
const PRINTERS = once(
  (): Readonly<Record<string, readonly RegExp[][]>> => ({
    security: [[/^(?:find-(?:generic|internet)-password|dump-keychain|export)$/, /^(?:-w|-g|-d|-t|-P|.*)$/]],
    gpg: [[/^--export-secret-(?:keys|subkeys)$/]],
    pass: [[/^show$/], [/^[\w-]+\/[\w/.@-]+$/]],
    gopass: [[/^show$/]],
    op: [[/^read$/], [/^item$/, /^get$/], [/^document$/, /^get$/]],
    bw: [[/^get$/, /^(?:password|item|totp|notes)$/], [/^export$/]],
    gh: [
      [/^auth$/, /^token$/],
      [/^auth$/, /^status$/, /^(?:-t|--show-token)$/],
    ],
    glab: [[/^auth$/, /^status$/, /^(?:-t|--show-token)$/]],
    gcloud: [
      [/^auth$/, /^(?:application-default)$/, /^print-access-token$/],
      [/^auth$/, /^print-(?:access|identity)-token$/],
      [/^secrets$/, /^versions$/, /^access$/],
    ],
    aws: [
      [/^secretsmanager$/, /^(?:batch-)?get-secret-value$/],
      [/^ssm$/, /^get-parameters?(?:-by-path)?$/, /^--with-decryption$/],
      [/^configure$/, /^get$/, /secret|token/],
      [/^configure$/, /^export-credentials$/],
      [/^sts$/, /^get-session-token$/],
      [/^ecr$/, /^get-login-password$/],
    ],
    az: [
      [/^keyvault$/, /^secret$/, /^(?:show|download)$/],
      [/^account$/, /^get-access-token$/],
      [/^storage$/, /^account$/, /^keys$/, /^list$/],
    ],
    vault: [[/^kv$/, /^get$/], [/^read$/], [/^token$/, /^(?:create|lookup)$/], [/^print$/, /^token$/]],
    kubectl: [
      [/^get$/, /^secrets?(?:\/.*)?$/, /^(?:-o.*|--output.*|--template.*)$/],
      [/^config$/, /^view$/, /^--raw$/],
      [/^create$/, /^token$/],
    ],
    oc: [
      [/^get$/, /^secrets?(?:\/.*)?$/, /^-o/],
      [/^whoami$/, /^-t$/],
    ],
    heroku: [[/^config(?::get)?$/]],
    doppler: [[/^secrets$/]],
    infisical: [[/^secrets$/], [/^export$/]],
    git: [[/^credential(?:-\w+)?$/, /^(?:fill|get)$/]],
    "secret-tool": [[/^lookup$/], [/^search$/]],
    npm: [[/^config$/, /^get$/, /_auth/i]],
    sops: [[/^(?:-d|--decrypt|decrypt)$/]],
    "ansible-vault": [[/^(?:view|decrypt)$/]],
    "kwallet-query": [[/^-r$/]],
    fly: [[/^auth$/, /^token$/]],
    terraform: [[/^output$/, /^-(?:raw|json)$/, /secret|password|token|key/i]],
    chamber: [[/^(?:export|read|env)$/]],
    keyring: [[/^get$/]],
    lpass: [[/^(?:show|export)$/]],
    berglas: [[/^access$/]],
    akeyless: [[/^get-secret-value$/]],
    teller: [[/^(?:show|env|export|sh)$/]],
    conjur: [[/^variable$/, /^get$/]],
    dotenvx: [[/^(?:get|decrypt)$/]],
    "keepassxc-cli": [[/^(?:show|export)$/]],
    vercel: [[/^env$/, /^pull$/]],
    netlify: [[/^env:(?:get|list)$/]],
    railway: [[/^variables?$/]],
    docker: [[/^inspect$/, /\.Env\b|\bEnv\b/]],
    podman: [[/^inspect$/, /\.Env\b|\bEnv\b/]],
    stripe: [[/^config$/, /^--list$/]],
  }),
);

/** Whether a program hands out a secret that it keeps for its user. */
export function printsSecret(step: Step): boolean {
  const { program, arguments: given, redirections } = step;
  const rows = Object.hasOwn(PRINTERS(), program) ? (PRINTERS()[program] ?? []) : [];
  if (
    program === "pass" &&
    given.some((word) => /^(?:ls|list|find|init|insert|generate|git|rm|mv|cp|edit|help|version)$/.test(word))
  )
    return false;
  if (
    program === "kubectl" &&
    given.some(
      (word, at) =>
        /^-o=?name$|^-oname$/.test(word) ||
        (/^(?:-o|--output)$/.test(word) &&
          /^(?:name|wide)$|^jsonpath=\{\.(?:items\[\*\]\.)?(?:metadata\.[\w.]+|type|kind)\}$/.test(
            given[at + 1] ?? "",
          )),
    )
  )
    return false;
  if (redirections.some(({ operator, target }) => operator.startsWith(">") && target === "/dev/null")) return false;
  if (rows.some((row) => inOrder(given, row))) return true;
  return false;
}

function inOrder(given: readonly string[], row: readonly RegExp[]): boolean {
  let at = 0;
  for (const word of given) if (at < row.length && row[at]?.test(word)) at++;
  return at === row.length;
}

/** Whether a command prints the environment, or one of its secrets. */
export function printsEnvironment(step: Step): "all" | "secret" | undefined {
  const { program, arguments: given } = step;
  // A container that runs has its secrets in its environment; one that is made for the command has what it is given.
  const isMade = step.elsewhere === "container" && !isInRunning(step);
  if (isMade || step.elsewhere === "machine") return undefined;
  const { has, operands } = optionsOf(given, { letters: "uCS", names: ["unset", "chdir"] });
  if (program === "env" && operands.every((word) => /^\w+=/.test(word)) && !has("S", "split-string", "help", "version"))
    return has("i", "ignore-environment") ? undefined : "all";
  if (program === "printenv")
    return operands.length === 0 ? "all" : operands.some((name) => SECRET_NAME().test(name)) ? "secret" : undefined;
  if (program === "set" && given.length === 0) return "all";
  if (program === "export" && (given.length === 0 || (has("p") && operands.length === 0))) return "all";
  if (/^(?:declare|typeset)$/.test(program) && operands.length === 0 && !has("f", "F", "a", "A")) return "all";
  if (program === "ps" && given.some((word) => /^-?[auxw]*e[auxwe]*$/.test(word) && !word.startsWith("-")))
    return "all";
  if (/^(?:echo|printf|print|Write-Output|Write-Host)$/.test(program) && given.some(namesSecret)) return "secret";
  if (/^(?:Get-ChildItem|gci|dir|ls)$/i.test(program) && given.some((word) => /^env:/i.test(word))) return "all";
  const isShown = /^(?:cat|tac|tee|head|tail|less|more|nl|base64|xxd|od|rev|fold)$/.test(program);
  return isShown && step.redirections.some(({ operator, target }) => operator === "<<<" && namesSecret(target))
    ? "secret"
    : undefined;
}

/** `$GITHUB_TOKEN`, `${API_KEY}`; not `${API_KEY:+set}`, `${#API_KEY}` or `${API_KEY:0:4}`, which show hardly more than that it is there. */
export function namesSecret(word: string): boolean {
  return [...word.matchAll(/\$(?:env:)?(\w+)|\$\{!?(\w+)(?:\}|:[-?]|:\d+(?:\}|:(?:[89]|\d\d)))/giu)].some(
    ([, plain, braced]) => SECRET_NAME().test(plain ?? braced ?? ""),
  );
}
