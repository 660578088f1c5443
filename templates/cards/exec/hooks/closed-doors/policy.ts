import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  changesOf,
  codeOf,
  kindOfPlace,
  oneOf,
  optionsOf,
  programCallOf,
  projectOf,
  resolvePlace,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";

const SHELL = () => /(?:^|[\s/'"(,:=])(?:ba|da|z|k|c|tc|a)?sh\b|cmd(?:\.exe)?\b|powershell|\/bin\/\w*sh/;
const CODE_SOCKET = () =>
  /socket|["'](?:node:)?(?:net|tls|dgram)["']\)|TCPSocket|TcpClient|fsockopen|net\.(?:connect|Socket|createConnection|createServer)|\/inet\/tcp|IO::Socket|pfsockopen|Net\.Sockets/i;
const CODE_SHELL = () =>
  /dup2|pty\.spawn|\/bin\/\w*sh|exec\s*\(?["'](?:ba|da|z)?sh|spawn\(\s*["'](?:\/bin\/)?\w*sh|subprocess|child_process|cmd(?:\.exe)?["']|exec\(["']\/bin|system\(|popen|proc_open|shell_exec|\|&?\s*getline/;
const NETCAT = oneOf("nc ncat netcat nc.openbsd nc.traditional pwncat rustcat rcat");
/** Programs that only hand something out. */
const PRINTING = () => /^(?:\S*\/)?(?:cat|echo|printf|date|hostname|uptime|true|yes)(?:\s[^|;&`$]*)?$/;
const REASON =
  "This opens a shell of this machine to another one. Run the commands here, or let a person log in with ssh";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (opensDoor(event)) return { action: "deny", reason: REASON };
    const served = steps(event).find((step) => servesHome(step, projectOf(event)));
    if (served !== undefined)
      return {
        action: "ask",
        reason: `${served.program} shows all that lies there to everybody in the network. Serve one folder of the project, or bind to 127.0.0.1`,
        irreversible: true,
      };
    const tunnel = steps(event).find(isTunnel);
    return tunnel === undefined
      ? undefined
      : {
          action: "ask",
          reason: `${tunnel.program} lets others reach this machine from outside. Let a person open it, and close it again`,
          irreversible: true,
        };
  },
});

function opensDoor(event: ToolPolicyEvent): boolean {
  const all = steps(event);
  if (all.some(({ program }) => program === "ztcp") && all.some(takesOrders)) return true;
  if (all.some((step) => isOnWire(step) && (isShellProgram(step) || all.some(takesOrders)))) return true;
  const hasFifo = all.some(
    (step) =>
      step.program === "mkfifo" ||
      (step.program === "mknod" && step.arguments.includes("p")) ||
      (isShellProgram(step) && step.redirections.some(({ operator }) => operator === "<&")),
  );
  return all.some(
    (step) =>
      gives(step) || (hasFifo && isWire(step) && all.some(isShell)) || isShellOnWire(step, all) || runsInCode(step),
  );
}

/** `nc -e /bin/sh`, `ncat --sh-exec`, `socat EXEC:…`. */
function gives({ program, arguments: given }: Step): boolean {
  if (NETCAT(program)) {
    const { values, has } = optionsOf(given, { letters: "pswiXxqGgmToIec", names: ["exec", "sh-exec", "lua-exec"] });
    const started = values("e", "c", "exec", "sh-exec", "lua-exec");
    return !has("z") && started.some((text) => !PRINTING().test(text));
  }
  if (program === "socat")
    return (
      given.some(
        (word) => /^(?:exec|system|shell)[:,]/i.test(word) && (SHELL().test(word) || /pty|login|bash/.test(word)),
      ) ||
      (given.some((word) => /listen/i.test(word)) && given.some((word) => /^(?:exec|system)/i.test(word)))
    );
  if (program === "telnetd" || program === "msfvenom") return true;
  return program === "xterm" && given.some((word, at) => word === "-display" && /\d/.test(given[at + 1] ?? ""));
}

/** `>& /dev/tcp/HOST/PORT`. */
function isOnWire({ redirections, program }: Step): boolean {
  return program !== "" && redirections.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target));
}

function isShellProgram({ program }: Step): boolean {
  return oneOf("sh bash dash zsh ksh ash")(program);
}

/** A shell that reads a descriptor, or a program that only a run can name. */
function takesOrders(step: Step): boolean {
  const readsDescriptor = step.redirections.some(({ operator }) => operator === "<&" || operator === ">&");
  return (
    (isShellProgram(step) && readsDescriptor) ||
    /^[$`]/.test(step.path) ||
    (step.program === "eval" && step.arguments.some((word) => word.includes("$")))
  );
}

function isWire({ program, arguments: given }: Step): boolean {
  return (
    NETCAT(program) || program === "telnet" || program === "socat" || (program === "openssl" && given[0] === "s_client")
  );
}

function isShell({ program, arguments: given }: Step): boolean {
  return (
    oneOf("sh bash dash zsh ksh ash")(program) && given.every((word) => word.startsWith("-") || word.startsWith("/"))
  );
}

/** A shell between two ends of a pipe, of which one is the network. */
function isShellOnWire(step: Step, all: readonly Step[]): boolean {
  if (isShell(step) && !step.arguments.some((word) => /^-\w*c/.test(word))) return step.feeders.some(isWire);
  return (
    isWire(step) &&
    step.feeders.some((feeder) => isShell(feeder) && (feeder.arguments.includes("-i") || feeder.feeders.length > 0)) &&
    all.length > 1
  );
}

function runsInCode(step: Step): boolean {
  const code = codeOf(step);
  return code !== undefined && CODE_SOCKET().test(code.text) && CODE_SHELL().test(code.text);
}

/** A home or more, key by key; a folder of the project is for developing. */
function servesHome(step: Step, project: string): boolean {
  if (!changesOf(step).some(({ does }) => does === "serves")) return false;
  const { values, words } = programCallOf(step);
  if (values("b", "bind", "a", "address", "host").some((one) => /^(?:localhost|127\.|\[?::1)/.test(one))) return false;
  const folder = values("d", "directory", "root")[0] ?? words.find((word) => !/^\d+$/.test(word)) ?? ".";
  return oneOf("root home above system")(kindOfPlace(resolvePlace(folder, step.folder), project));
}

function isTunnel(step: Step): boolean {
  const { program, arguments: given } = step;
  if (oneOf("ssh autossh")(program)) return given.some((word) => /^-[a-zA-Z]*R/.test(word));
  return (program === "code" && given[0] === "tunnel") || changesOf(step).some(({ does }) => does === "opens");
}
