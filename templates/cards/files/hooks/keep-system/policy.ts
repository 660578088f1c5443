import { defineToolPolicy } from "darwinian-minds/hook-policy";
import {
  folderMeant,
  kindOfPlace,
  oneOf,
  oneOfAnyCase,
  optionsOf,
  programCallOf,
  projectOf,
  resolvePlace,
  type Step,
  shellTextsOf,
  steps,
} from "darwinian-minds/hook-policy/helpers";

const RIGHTS = oneOf("chmod chown chgrp setfacl icacls chflags chattr");
/** Tests of find, which leave most files out. */
const PICKING = oneOf(
  "-name -iname -path -ipath -user -group -perm -newer -nouser -nogroup -atime -ctime -mtime -amin -cmin -mmin -size -uid -gid",
);
const EVERYWHERE = new Set(["root", "system", "home", "above"]);

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const texts = shellTextsOf(event).join("\n");
    const project = projectOf(event);
    for (const step of steps(event)) {
      if (isBomb(step, texts)) return bomb;
      const reason = killsAll(step) ?? changesRights(step, project);
      if (reason !== undefined) return { action: "deny", reason };
      const shared = sharedBy(step);
      if (shared !== undefined)
        return {
          action: "ask",
          reason: `This ends every ${shared} process, other people's and other projects' too. Name the one: pkill -f "${shared} server.js", or kill PID`,
          irreversible: true,
        };
      if (stops(step))
        return { action: "ask", reason: "This stops or restarts the machine. Restart the one service that needs it" };
    }
    return undefined;
  },
});

const bomb = {
  action: "deny",
  reason: "This starts processes without end until the machine stops. Start as many as are needed, with xargs -P",
} as const;

/** A function that starts itself twice: `:(){ :|:& };:`. */
function isBomb({ path, feeders }: Step, texts: string): boolean {
  const isTwice = path !== "" && feeders.some((feeder) => feeder.path === path);
  const name = path.replace(/[^\w]/g, "\\$&");
  return isTwice && new RegExp(`(?:^|[^\\w])(?:function\\s+${name}\\s*[({]|${name}\\s*\\(\\s*\\))`).test(texts);
}

/** `ps -e -o pid= | xargs kill`, `kill $(ps aux | awk '{print $2}')`: nothing in between picks some of them. */
function listsAll({ arguments: given, starter, feeders }: Step): boolean {
  if (given.some((word) => /^(?:\$\(|`)\s*pgrep\s+(?:-[uU]\s*\S+|--u?id[= ]\S+|-[a-z]+\s*)*[)`]$/.test(word)))
    return true;
  const inside = given.find((word) => /^(?:\$\(|`)\s*ps\b/.test(word));
  if (inside !== undefined) return !/grep|\/[^/]+\/|\bps\b[^|]*\s-(?:C|p|g|t|-ppid)\b/.test(inside);
  if (starter?.program !== "xargs" || !feeders.some(({ program }) => program === "ps")) return false;
  return !feeders.some(
    ({ program, arguments: words }) =>
      /grep$|^(?:head|tail|rg|fzf)$/.test(program) ||
      (program === "ps" && words.some((word) => oneOf("-C -p -g -t --ppid")(word))) ||
      (/awk$|^sed$/.test(program) && words.some((word) => /\/[^/]+\/|==/.test(word))),
  );
}

/** Programs that run many other things. */
const RUNTIME = () =>
  /^(?:node|nodejs|npm|python[\d.]*|java|ruby|php|perl|deno|bun|dotnet|beam\.smp|erl|docker|dockerd|containerd|code|cursor|electron|chrome|chromium|firefox|bash|zsh|sh|tmux|screen|ssh|postgres|mysqld|mongod|redis-server|claude|codex)(?:\.exe)?$/i;

/** The runtime all of whose processes a command ends. */
function sharedBy(step: Step): string | undefined {
  const { arguments: given, elsewhere, starter, feeders } = step;
  if (elsewhere !== undefined) return undefined;
  const { program, words, values, has } = programCallOf(step);
  if (given.some((word) => oneOf("-0 -l -L --list --help")(word)) || values("P", "parent").length > 0) return undefined;
  const named = (some: readonly string[]) =>
    some.map((word) => word.replace(/^\^|\$$/g, "")).find((word) => RUNTIME().test(word));
  if (oneOf("pkill killall skill")(program)) {
    const names = words.filter((word) => !/^\d+$/.test(word));
    return names.length === 1 || program === "killall" ? named(names) : undefined;
  }
  if (oneOfAnyCase("taskkill")(program))
    return has("F") || given.some((word) => /^[/-]{1,2}im$/i.test(word)) ? named(given) : undefined;
  if (program !== "kill") return undefined;
  const listed = given.map(
    (word) => /^(?:\$\(|`)\s*(?:pgrep|pidof)\s+(?:-\S+\s+)*([\w.-]+)\s*[)`]$/.exec(word)?.[1] ?? "",
  );
  const lister = starter?.program === "xargs" ? feeders.find((one) => oneOf("pgrep pidof")(one.program)) : undefined;
  return named([...listed, ...(lister === undefined ? [] : lister.arguments.slice(-1))]);
}

function killsAll(step: Step): string | undefined {
  const { program, arguments: given, elsewhere } = step;
  if (elsewhere !== undefined) return undefined;
  const all = "This ends every process that it can. Name one process: pkill -x NAME, or kill PID";
  if (program === "killall5") return all;
  if (program === "loginctl")
    return /^(?:terminate|kill)-(?:user|seat|session)$/.test(given[0] ?? "") ? all : undefined;
  if (program === "systemctl")
    return given.includes("kill") && given.some((word) => /\.slice$/.test(word)) ? all : undefined;
  const { operands, values } = optionsOf(given, { letters: "uU", names: ["user", "euid", "uid"] });
  if (program === "kill" && listsAll(step)) return all;
  if (program === "kill") {
    const rest =
      given[0]?.startsWith("-") && given[0] !== "--"
        ? given.slice(given[0] === "-s" || given[0] === "-n" ? 2 : 1)
        : given;
    return rest.some((word) => word === "-1" || word === "1" || word === "0") && !oneOf("-l -L")(given[0] ?? "")
      ? all
      : undefined;
  }
  if (program === "pkill" || program === "killall" || program === "skill") {
    const pattern = operands.some((word) =>
      /^(?:|\.|\.\*|\^|\*|\.\+|systemd|init|launchd|sshd|Xorg|WindowServer|loginwindow|Finder)$/.test(word),
    );
    const isAllOfUser = values("u", "U", "user", "euid", "uid").length > 0 && operands.length === 0;
    return pattern || isAllOfUser ? all : undefined;
  }
  return undefined;
}

function changesRights(
  { program, arguments: given, folder, elsewhere, starter, feeders }: Step,
  project: string,
): string | undefined {
  if (!RIGHTS(program) || elsewhere === "container") return undefined;
  if (starter?.arguments.some((word) => PICKING(word))) return undefined;
  const { has, operands } = optionsOf(
    given.filter((word) => !/^-[rwxXst]+$/.test(word)),
    { letters: "m" },
  );
  const isDeep =
    starter?.program === "find" ||
    (starter?.program === "xargs" &&
      feeders.some((feeder) => feeder.program === "find" && !feeder.arguments.some((word) => PICKING(word)))) ||
    (program === "chmod" && /^0{1,4}$/.test(given[0] ?? "")) ||
    has("R", "recursive") ||
    given.some((word) => oneOfAnyCase("/t")(word)) ||
    given.some((word) => /^-\w*R/.test(word));
  const target = operands.find((word) => {
    const place = resolvePlace(word, folder);
    const kind = kindOfPlace(place, project);
    const isAll = isDeep || folderMeant(place) !== place;
    return (
      kind === "device" ||
      (EVERYWHERE.has(kind) && (isAll || kind === "root" || oneOf("/etc /usr /bin /lib /boot")(place))) ||
      (isDeep &&
        /^\/(?:etc|usr|bin|sbin|lib|var\/lib|boot)(?:\/|$)/.test(place) &&
        !/^\/usr\/(?:local|share)\/[^/]+\/./.test(place))
    );
  });
  if (target === undefined) return undefined;
  return `This changes the rights of everything in ${target}. Name the files in the project that need other rights`;
}

function stops({ program, arguments: given, elsewhere }: Step): boolean {
  if (elsewhere === "container") return false;
  if (oneOf("shutdown reboot halt poweroff")(program)) return !given.includes("-c") && !given.includes("--help");
  if (oneOf("init telinit")(program)) return oneOf("0 6")(given[0] ?? "");
  return (
    program === "systemctl" &&
    given.some((word) =>
      oneOf("reboot poweroff halt kexec suspend hibernate hybrid-sleep rescue emergency isolate")(word),
    )
  );
}
