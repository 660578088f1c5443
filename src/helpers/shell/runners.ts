import { oneOf } from "../pattern/one-of.ts";
import { isKnownProgram } from "../programs/rows.ts";
import { OWN_VERBS } from "./own-verbs.ts";
import { type Runner, runnerOf } from "./runner-of.ts";

/** A command with the variables set for it, or a text for a shell. */
type Run = { words: string[]; sets?: string[] } | { text: string };

/** What a program starts by its row; undefined: it isn't a runner, or the call names no command. */
export function runBy(program: string, given: readonly string[]): Run | undefined {
  if (program === "socat") return runBySocat(given);
  // `command -v x` and `ssh-agent -k` start nothing.
  if (oneOf("command ssh-agent")(program) && /^-[a-z]*[vVkD]/u.test(given[0] ?? "")) return undefined;
  const runner = runnerOf(program);
  if (runner === undefined) return runByUnknown(program, given);
  const { verbs, texts, isOfPackages } = runner;
  const text = given.findIndex((word) => texts.includes(word));
  const isOwn = !isOfPackages || text < given.length - operandsFrom(given, runner).length;
  if (text >= 0 && isOwn) return { text: given[text + 1] ?? "" };
  const own = OWN_VERBS.get(program);
  if (own !== undefined) {
    const words = operandsFrom(given[0] === "run" ? given.slice(1) : given, runner);
    if (words.length > 0 && !own.test(words[0] ?? "")) return { words };
  }
  const start = verbs.length === 0 ? 0 : given.findIndex((word) => verbs.includes(word)) + 1;
  if (verbs.length > 0 && start === 0) return undefined;
  const rest = given.slice(start);
  const after = verbs.length > 0 || isOfPackages ? rest.indexOf("--") : -1;
  // After the program's name, `--` is one of the program's own words.
  const isNamed = isOfPackages && after >= 0 && operandsFrom(rest.slice(0, after), runner).length > 0;
  const found = after >= 0 && !isNamed ? rest.slice(after + 1) : operandsFrom(rest, runner);
  const from = found.findIndex((word) => !ASSIGNMENT.test(word));
  if (from < 0) return undefined;
  const [first = "", ...others] = found.slice(from);
  // After `:::` come the arguments that GNU parallel adds to the command.
  if (runner.isText) return { text: [first, ...others].filter((word) => !/^:{3,4}\+?$/u.test(word)).join(" ") };
  // A version behind a package's name isn't part of the program's name.
  return { words: [first.replace(/(?<=.)@[\w.^~-]+$/u, ""), ...others], sets: found.slice(0, from) };
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/u;

/** Programs with which a call can do harm, and which nobody takes for a word of English. */
const PROGRAMS = oneOf(
  "git rm shred dd find rsync scp chmod chown truncate bash sh zsh sudo python python3 perl ruby php npx npm pnpm yarn docker podman kubectl helm terraform tofu aws gcloud az gh psql mysql mongosh redis-cli sqlite3 prisma rails rake curl wget ssh cat tar mv cp ln tee sed xargs",
);

/** They only name a program, or show words. */
const NAMING = oneOf(
  "command builtin hash where whence enable compgen complete tldr cheat apropos log logr loge loger logg loggr logge logger notify-send say",
);

/**
 * What a wrapper runs that nobody knows: `rtk git push`, `flatpak-spawn --host rm x`. Its first operand is a program with
 * words of its own; values of the wrapper's options may stand before it.
 */
function runByUnknown(program: string, given: readonly string[]): { words: string[] } | undefined {
  const at = given.findIndex((word, index) => !word.startsWith("-") && !given[index - 1]?.startsWith("-"));
  const first = PROGRAMS(given[at] ?? "") ? at : given.findIndex((word) => !word.startsWith("-"));
  if (first < 0 || first === given.length - 1 || !PROGRAMS(given[first] ?? "")) return undefined;
  return NAMING(program) || isKnownProgram(program) ? undefined : { words: given.slice(first) };
}

/** `socat EXEC:'program words',pty -` */
function runBySocat(given: readonly string[]): { text: string } | undefined {
  const [, text] =
    given.map((word) => /^(?:exec|system|shell):([^,]+)/iu.exec(word)).find((found) => found !== null) ?? [];
  return text === undefined ? undefined : { text };
}

/** Whether a program that is known to run others runs one here. */
export function isRunner(program: string, given: readonly string[]): boolean {
  return runBy(program, given) !== undefined;
}

/**
 * The program that an image is named after: `docker run hashicorp/terraform destroy`. Images of whole systems have
 * none.
 */
export function runByImage(program: string, given: readonly string[]): string[] | undefined {
  if (program === "nix" && given[0] === "run") {
    const name = given
      .find((word) => word.includes("#"))
      ?.split(/[#.]/u)
      .at(-1);
    const mark = given.indexOf("--");
    return name === undefined || mark < 0 ? undefined : [name, ...given.slice(mark + 1)];
  }
  const at = oneOf("docker podman nerdctl")(program) ? given.indexOf("run") : -1;
  const runner = runnerOf(program);
  if (at < 0 || runner === undefined) return undefined;
  const [image = "", ...words] = operandsFrom(given.slice(at + 1), { ...runner, skips: 0 });
  const name = /^(?:.*\/)?([a-z][\w-]*?)(?:-cli)?(?::[\w.-]+|@sha256:\w+)?$/u.exec(image)?.[1];
  if (oneOf("alpine ubuntu debian busybox fedora centos rockylinux archlinux amazonlinux")(name ?? ""))
    return undefined;
  return name === undefined || words.length === 0 ? undefined : [name, ...words];
}

/** The words behind a program's options and the operands that it takes itself. */
export function operandsFrom(
  given: readonly string[],
  { letters = "", names = [], skips = 0 }: Partial<Pick<Runner, "letters" | "names" | "skips">> = {},
): string[] {
  let at = 0;
  let operands = 0;
  for (; at < given.length; at++) {
    const word = given[at] ?? "";
    if (word === "--") return given.slice(at + 1 + skips - operands);
    if (/^--./u.test(word)) {
      if (names.includes(word.slice(2))) at++;
    } else if (/^-./u.test(word)) {
      const valued = [...word.slice(1)].findIndex((letter) => letters.includes(letter));
      if (valued === word.length - 2) at++;
    } else if (operands++ >= skips) break;
  }
  return given.slice(at);
}
