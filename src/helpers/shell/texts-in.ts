import { oneOf } from "../pattern/one-of.ts";
import { commandsNamed } from "../programs/call.ts";
import { optionsOf } from "../programs/options.ts";
import type { ReadCommand } from "./commands.ts";

/** Variables whose value some program runs. */
const COMMAND_VARIABLE = oneOf(
  "GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL PAGER MANPAGER RSYNC_RSH PROMPT_COMMAND LESSOPEN PS0 PS1 PS4",
);
/** Settings of git whose value git runs. */
const COMMAND_SETTING = () =>
  /^(?:alias\..+|core\.(?:fsmonitor|sshcommand|pager|editor|askpass|gitproxy)|sequence\.editor|diff\.external|credential(?:\..+)?\.helper|pager\..+|gpg(?:\..+)?\.program|interactive\.difffilter|.+\.(?:textconv|clean|smudge|process|command|cmd|driver|path))$/iu;
const SSH_COMMAND = () => /^(?:Proxy|Local|KnownHosts|Remote)Command[= ]+([\s\S]+)$/iu;
/** `1e rm x`, `/a/e rm x`, and `s/a/rm x/e`, whose result sed runs. */
const SED_RUNS = () =>
  /(?:^|[\n;{}\d$/!])\s*e\s+([^\n]+)|(?:^|[\n;{}\d$/!])\s*s([/|#,!@])(?:(?!\2).)*\2((?:(?!\2).)*)\2[a-z\d]*e/gu;

/** The texts that a command makes another program run, by its variables, settings and options. */
export function textsIn(program: string, { words: [, ...given], assignments }: ReadCommand): string[] {
  const variables = assignments.flatMap(({ name, value }) => (COMMAND_VARIABLE(name) ? [value] : []));
  // `tar --checkpoint-action=exec=command`
  const named = commandsNamed(program, given).map((text) => text.replace(/^exec=/u, ""));
  return [...variables, ...textsOf(program, given), ...named].filter((text) => /\S/u.test(text));
}

function textsOf(program: string, given: readonly string[]): string[] {
  if (program === "git") return settingsOf(given).flatMap(({ key, value }) => commandIn(key, value, given));
  if (oneOf("ssh scp sftp")(program))
    return optionsOf(given, { letters: "o" })
      .values("o")
      .flatMap((one) => SSH_COMMAND().exec(one)?.[1] ?? []);
  if (oneOf("sed gsed")(program))
    return given.flatMap((word) => [...word.matchAll(SED_RUNS())].map(([, plain, , made]) => plain ?? made ?? ""));
  return [];
}

/** The settings of `git -c key=value`, of `clone -c`, and those that `git config key value` keeps. */
function settingsOf(given: readonly string[]): { key: string; value: string }[] {
  const at = given.indexOf("config");
  const kept = at < 0 ? -1 : given.findIndex((word, place) => place > at && COMMAND_SETTING().test(word));
  const [key, value] = kept < 0 ? [] : given.slice(kept);
  const isSet =
    key !== undefined &&
    value !== undefined &&
    !given.some((word) => /^(?:--(?:get|unset)[\w-]*|get|unset)$/u.test(word));
  const passed = given.flatMap((word, at) => {
    const setting = word === "-c" || word === "--config" ? given[at + 1] : /^(?:-c|--config=)(.+)$/su.exec(word)?.[1];
    const [, name, text] = /^([\w.*/-]+\.[\w.-]+)=([\s\S]*)$/u.exec(setting ?? "") ?? [];
    return name === undefined || text === undefined ? [] : [{ key: name, value: text }];
  });
  return isSet ? [...passed, { key, value }] : passed;
}

function commandIn(key: string, value: string, given: readonly string[]): string[] {
  if (!COMMAND_SETTING().test(key)) return [];
  // Other aliases and helpers are commands of git.
  if (/^alias\./iu.test(key)) {
    const name = key.slice("alias.".length);
    const rest = given.slice(given.indexOf(name) + 1).map(quoted);
    return value.startsWith("!") && given.includes(name) ? [[value.slice(1), ...rest].join(" ")] : [];
  }
  if (/helper$/iu.test(key)) return value.startsWith("!") ? [value.slice(1)] : [];
  return [value];
}

/** A word quoted for a shell; not its patterns and homes, since whoever gets it may have a shell expand them. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./~*?[\]{}-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
