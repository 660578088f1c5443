import { oneOf } from "../pattern/one-of.ts";
import type { ReadCommand } from "./commands.ts";

/** Variables whose value some program runs. */
const COMMAND_VARIABLE = oneOf(
  "GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL PAGER MANPAGER RSYNC_RSH PROMPT_COMMAND LESSOPEN PS0 PS1 PS4",
);
/** Settings of git whose value git runs. */
const COMMAND_SETTING = () =>
  /^(?:alias\..+|core\.(?:fsmonitor|sshcommand|pager|editor|askpass|gitproxy)|sequence\.editor|diff\.external|credential(?:\..+)?\.helper|pager\..+|gpg(?:\..+)?\.program|interactive\.difffilter|.+\.(?:textconv|clean|smudge|process|command|cmd|driver|path))$/iu;
/** Options whose value a program runs: alone, or after `=` or the letter. */
const COMMAND_OPTION = (): Readonly<Record<string, RegExp>> => ({
  tar: /^(?:-I|-F|--(?:to-command|use-compress-program|info-script|new-volume-script|rsh-command)(?:=|$)|--checkpoint-action(?:=|$))/u,
  git: /^--(?:receive-pack|upload-pack|extcmd|open-files-in-pager)(?:=|$)/u,
  "git clone": /^-u/u,
  "git difftool": /^-x/u,
  "git push": /^--exec(?:=|$)/u,
  rg: /^--(?:pre|hostname-bin)(?:=|$)/u,
  rsync: /^(?:-[a-zA-Z]*e$|-e|--(?:rsh|rsync-path)(?:=|$))/u,
  scp: /^-S/u,
  sftp: /^-S/u,
  zip: /^(?:-TT|--unzip-command(?:=|$))/u,
  make: /^--eval(?:=|$)/u,
  man: /^(?:-P|--pager(?:=|$))/u,
  split: /^--filter(?:=|$)/u,
  sort: /^--compress-program(?:=|$)/u,
});
const SSH_COMMAND = () => /^(?:Proxy|Local|KnownHosts|Remote)Command[= ]+([\s\S]+)$/iu;
/** `1e rm x`, `/a/e rm x`, and `s/a/rm x/e`, whose result sed runs. */
const SED_RUNS = () =>
  /(?:^|[\n;{}\d$/!])\s*e\s+([^\n]+)|(?:^|[\n;{}\d$/!])\s*s([/|#,!@])(?:(?!\2).)*\2((?:(?!\2).)*)\2[a-z\d]*e/gu;

/** The texts that a command makes another program run, by its variables, settings and options. */
export function textsIn(program: string, { words: [, ...given], assignments }: ReadCommand): string[] {
  const variables = assignments.flatMap(({ name, value }) => (COMMAND_VARIABLE(name) ? [value] : []));
  return [...variables, ...textsOf(program, given)].filter((text) => /\S/u.test(text));
}

function textsOf(program: string, given: readonly string[]): string[] {
  if (program === "git") {
    const settings = settingsOf(given).flatMap(({ key, value }) => commandIn(key, value, given));
    return [...settings, ...["git", ...given.map((word) => `git ${word}`)].flatMap((name) => valuesOf(name, given))];
  }
  if (program === "ssh" || program === "scp" || program === "sftp") {
    const named = given.flatMap((word, at) =>
      word === "-o" ? (given[at + 1] ?? "") : (/^-o(.+)$/su.exec(word)?.[1] ?? []),
    );
    return [...named.flatMap((one) => SSH_COMMAND().exec(one)?.[1] ?? []), ...valuesOf(program, given)];
  }
  if (program === "sed" || program === "gsed")
    return given.flatMap((word) => [...word.matchAll(SED_RUNS())].map(([, plain, , made]) => plain ?? made ?? ""));
  return valuesOf(program, given);
}

function valuesOf(name: string, given: readonly string[]): string[] {
  const options = COMMAND_OPTION();
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) return [];
  return given.flatMap((word, at) => {
    const start = option.exec(word)?.[0];
    if (start === undefined) return [];
    const value = word.length > start.length ? word.slice(start.length) : (given[at + 1] ?? "");
    return [value.replace(/^exec=/u, "")];
  });
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
