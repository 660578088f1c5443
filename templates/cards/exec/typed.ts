import { codeOf, oneOf, optionsOf, type Step } from "darwinian-minds/hook-policy/helpers";

/** Programs that run what is typed into them unless they are given a text, a file or a command. */
const INTERPRETERS = () =>
  /^(?:\$\{?SHELL\}?|(?:ba|da|z|k|mk|c|tc|a|fi|rba)?sh|pwsh|powershell|cmd|nu|xonsh|elvish|python[\d.]*|pypy[\d.]*|ipython[\d.]*|bpython|ptpython|node|nodejs|deno|tsx|ts-node|perl|ruby|irb|pry|lua[\d.]*|luajit|R|ghci|scala|jshell|groovysh|clj|clojure|bb|iex|erl|julia|octave|php|tclsh|wish|expect|sbcl|guile|racket|ocaml|utop|csi|gdb|lldb|ed|ex|vim?|nvim|emacs|m4|dc)$/;
/** Clients that take commands from their input; which of their options give them one. */
const CLIENTS = () =>
  /^(?:psql|pgcli|mysql|mariadb|mycli|sqlite3?|litecli|mongo|mongosh|redis-cli|valkey-cli|sqlplus|sqlcmd|usql|duckdb|clickhouse-client|cqlsh|cypher-shell|influx|snowsql|ftp|sftp|lftp|telnet|nc|ncat|netcat)$/;
const GIVEN = () =>
  /^(?:-[a-zA-Z]*[cefQqi]|-l|-x|-z|--(?:command|execute|eval|file|query|init-command|list|batch|script)(?:=.*)?)$/;
/** Subcommands with which a program opens a shell or a console. */
const OPENING = oneOf(
  "console c shell repl tinker dbshell dbconsole db attach enter ssh develop pg:psql run:inside start-session",
);
const OPENERS = () =>
  /^(?:rails|(?:.*\/)?manage\.py|artisan|flask|django-admin|heroku|fly|flyctl|railway|vagrant|adb|limactl|multipass|poetry|pipenv|hatch|nix|guix|distrobox|toolbox|bun|deno|gcloud|aws|symfony|drush|wp|lxc|tsh)$/;
const SYSTEM_IMAGE = () =>
  /^(?:.*\/)?(?:alpine|ubuntu|debian|busybox|fedora|centos|rockylinux|archlinux|amazonlinux|python|node|ruby|perl|php|golang|rust|bash)(?::[\w.-]+)?$/;
const ASKING = () => /^(?:--?(?:help|version)|-[V?])$/;
/** Modules of Python that read commands. */
const MODULES = oneOf("code pdb IPython asyncio bpython ptpython");

/** Whether a command starts a program that runs what somebody types into it later. */
export function runsWhatIsTyped(step: Step): boolean {
  const { program, arguments: given } = step;
  if (!isOwnInput(step) || given.some((word) => ASKING().test(word))) return false;
  if (given.some(readsItself)) return INTERPRETERS().test(program) || oneOf("eval source .")(program);
  if (oneOf("xargs parallel")(program)) return !given.some((word) => /^(?::::+|-a|--arg-file)/.test(word));
  if (INTERPRETERS().test(program)) return isBare(step) || opensShell(step);
  if (CLIENTS().test(program)) return isBareClient(step);
  if (oneOf("at batch")(program)) return !given.some((word) => /^-[a-zA-Z]*[fldrcv]/.test(word));
  return opensShell(step);
}

/** `while read line; do eval "$line"; done`: the command that runs what another one reads. */
export function runsWhatIsRead(all: readonly Step[]): Step | undefined {
  const readers = all.filter((step) => oneOf("read mapfile readarray")(step.program) && isOwnInput(step));
  const names = readers
    .flatMap(({ arguments: given }) => ["REPLY", "MAPFILE", ...given])
    .filter((word) => /^[A-Za-z_]\w*$/.test(word));
  if (names.length === 0) return undefined;
  const variable = new RegExp(`\\$\\{?(?:${names.join("|")})\\b`);
  const isRead = (word: string) => variable.test(word);
  return all.find(
    (step) =>
      isRead(step.path) ||
      ((oneOf("eval source .")(step.program) || INTERPRETERS().test(step.program)) && step.arguments.some(isRead)),
  );
}

/** `bash /dev/stdin`, `bash <(cat)`, `eval "$(cat)"`. */
function readsItself(word: string): boolean {
  return /^(?:\/dev\/(?:stdin|tty|fd\/0)|\/proc\/self\/fd\/0)$|^"?(?:\$\(|`|<\()\s*(?:cat(?:\s+-)?|<\s*\/dev\/(?:stdin|tty)|tee(?:\s+\S+)?|head\b[^|/.]*|cat\s+\/dev\/(?:stdin|tty))\s*(?:\)|`)"?$/.test(
    word,
  );
}

/** Its input is what the session types: nothing is redirected or fed to it but by programs that pass theirs on. */
function isOwnInput({ redirections, feeders, starter }: Step): boolean {
  const inputs = redirections.filter(({ operator }) => operator.startsWith("<"));
  if (
    inputs.some(
      ({ operator, target }) =>
        !/^\/dev\/(?:stdin|tty)$|^\/proc\/self\/fd\/0$/.test(target) && !(operator === "<&" && target === "0"),
    )
  )
    return false;
  const first = feeders.at(-1);
  if (starter?.program === "xargs" || starter?.program === "parallel") return false;
  return first === undefined || passesOn(first);
}

function passesOn({ program, arguments: given, redirections }: Step): boolean {
  if (redirections.some(({ operator }) => operator.startsWith("<"))) return false;
  const { operands } = optionsOf(given, { letters: "nbs" });
  const files = operands.filter((word) => word !== "-" && !oneOf("/dev/stdin /dev/tty")(word));
  if (program === "dd") return !given.some((word) => word.startsWith("if="));
  if (oneOf("grep egrep sed gsed awk gawk mawk tr rg")(program)) return files.length <= (program === "tr" ? 2 : 1);
  return (
    program === "tee" || (oneOf("cat head tail pv nl rev tac fold stdbuf unbuffer")(program) && files.length === 0)
  );
}

function isBare(step: Step): boolean {
  const { program, arguments: given } = step;
  const isShell = /sh$|SHELL/.test(program);
  if (given.some((word) => (isShell ? /^-[a-z]*[is]/ : /^(?:-i|--interactive|-a)$/).test(word))) return true;
  if (program === "php") return given.includes("-a");
  if (/^python|^pypy/.test(program) && given[0] === "-m") return MODULES(given[1] ?? "");
  if (
    codeOf(step) !== undefined ||
    given.some(
      (word) =>
        (!isShell && word.toLowerCase() === "-f") ||
        /^-\w*c$|^(?:-e|-p|-File|-Command|--eval|--print|--batch|--test|--run|--check|\/c)$/i.test(word),
    )
  )
    return false;
  if (oneOf("vi vim nvim emacs ed ex gdb lldb")(program)) return !given.some((word) => /^(?:-es|-[ds]|\+)/.test(word));
  if (given.some((word) => oneOf("-v -h -m -l -s")(word)) && !isShell) return false;
  const { operands } = optionsOf(given, { letters: isShell ? "oO" : "WXrI" });
  return operands.every((word) => word === "-" || word === "repl");
}

function isBareClient({ program, arguments: given }: Step): boolean {
  if (oneOf("nc ncat netcat")(program)) return false;
  if (given.some((word) => GIVEN().test(word))) return false;
  const { operands } = optionsOf(given, {
    letters: program === "psql" ? "hpUdvPFRTLo" : "huPpDSnatsd",
    names: ["host", "address", "port", "username", "user", "dbname", "database", "password"],
  });
  return (
    operands.length < (/^(?:redis|valkey|cypher)/.test(program) ? 1 : 2) &&
    !operands.some((word) => /\.(?:js|sql)$/.test(word))
  );
}

function opensShell({ program, arguments: given }: Step): boolean {
  if (program === "ssh" || program === "mosh" || program === "autossh") {
    const { operands, has } = optionsOf(given, { letters: "bcDEeFIiJLlmOopQRSWw" });
    return operands.length === 1 && !has("N", "f", "W", "O", "T");
  }
  const { operands, has, values } = optionsOf(given, { letters: "ugUcCpD", names: ["user", "group"] });
  if (oneOf("su runuser login newgrp")(program))
    return values("c").length === 0 && operands.filter((word) => word !== "-").length <= 1;
  if (program === "sudo" || program === "doas") return has("i", "s", "login", "shell") && operands.length === 0;
  if (program === "script") return operands.length <= 1 && !has("c", "command");
  if (program === "tmux" && oneOf("a at attach attach-session")(operands[0] ?? "")) return true;
  if (oneOf("screen tmux nix-shell unshare")(program))
    return operands.length === 0 && !has("ls", "list", "run", "command", "c");
  if (program === "chroot") return operands.length === 1;
  if (oneOf("docker podman nerdctl")(program) && given.includes("run"))
    return given.some((word) => /^-\w*i|^--interactive/.test(word)) && SYSTEM_IMAGE().test(given.at(-1) ?? "");
  const words = given.filter((word) => !word.startsWith("-"));
  const verb = words.findIndex((word) => OPENING(word));
  if (given.some((word) => /^--(?:command|execute|eval)(?:=|$)/.test(word))) return false;
  const isOpener =
    OPENERS().test(program) ||
    (/^python|^php/.test(program) && /^(?:.*\/)?(?:manage\.py|artisan)$/.test(words[0] ?? ""));
  return isOpener && verb >= 0 && verb === words.length - 1;
}
