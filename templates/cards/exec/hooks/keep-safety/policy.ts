import { defineToolPolicy } from "darwinian-minds/hook-policy";
import {
  changesOf,
  kindOfPlace,
  oneOf,
  optionsOf,
  projectOf,
  resolvePlace,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";

const AGENTS = oneOf(
  "claude codex gemini copilot gh opencode kilo cursor-agent aider goose amp qwen crush droid npx bunx pnpm",
);
const UNGUARDED = () =>
  /^--(?:dangerously-[\w-]+|allow-dangerously-[\w-]+|yolo|allow-all-tools|allow-all-paths|full-auto|yes-always|skip-trust|no-sandbox-agent|dangerously_skip_permissions)$|^--?(?:permission-mode|approval-mode|ask-for-approval|sandbox)=(?:bypassPermissions|yolo|never|danger-full-access)$/;
const UNGUARDED_VALUE = oneOf("bypassPermissions yolo danger-full-access");
/** Variables with which an agent asks nobody: `COPILOT_ALLOW_ALL=1`, `OPENCODE_PERMISSION='{"*":"allow"}'`. */
const UNGUARDED_VARIABLE = () =>
  /(?:^|_)(?:YOLO|ALLOW_ALL|PERMISSIONS?|APPROVALS?|AUTO_APPROVE|BYPASS|SKIP_PERMISSIONS)(?:_|$)/;
const GIVES_ALL = () => /^(?:1|true|yes|on|all|never|bypass\w*|yolo)$|"allow"/i;
/** What PowerShell, which doesn't mind the case, is told in order to switch protection off. */
const WINDOWS: Readonly<Record<string, RegExp>> = {
  "set-mppreference": /^-Disable/i,
  "set-executionpolicy": /^(?:Bypass|Unrestricted)$/i,
};
/** Names that only some agents use for it. */
const UNGUARDED_LETTER = (): Readonly<Record<string, RegExp>> => ({
  gemini: /^-\w*y/,
  qwen: /^-\w*y/,
  crush: /^-y$/,
  kilo: /^--auto$/,
  "cursor-agent": /^(?:-f|--force)$/,
});
export default defineToolPolicy<{ askSudo: boolean }>({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const project = projectOf(event);
    if (isUnguardedCall(event.input))
      return {
        action: "ask",
        reason: "This call asks to run without the agent's own protection. Run it inside the sandbox",
      };
    for (const step of steps(event)) {
      const reason = whyNot(step) ?? whyNotContainer(step);
      if (reason !== undefined) return { action: "deny", reason };
    }
    for (const step of steps(event)) {
      const reason = changesOf(step).some(({ does }) => does === "escalates")
        ? "This gives somebody all rights. Give the one right that is needed, or let a person do it"
        : (whyAsk(step, project) ?? whyRoot(step, event.options.askSudo));
      if (reason !== undefined) return { action: "ask", reason };
    }
    return undefined;
  },
});

/** A parameter with which an agent leaves its sandbox for one call. */
function isUnguardedCall(input: unknown): boolean {
  if (typeof input !== "object" || input === null) return false;
  return (
    Object.entries(input).some(
      ([name, value]) => value === true && /^(?:dangerously|bypass|disable_?sandbox)/i.test(name),
    ) ||
    Reflect.get(input, "sandbox_permissions") === "require_escalated" ||
    Reflect.get(input, "with_escalated_permissions") === true
  );
}

function whyNot(step: Step): string | undefined {
  const { program, arguments: given, environment } = step;
  const isAgent = AGENTS(program) || AGENTS(program.replace(/^.*@/, ""));
  const letter = Object.hasOwn(UNGUARDED_LETTER(), program) ? UNGUARDED_LETTER()[program] : undefined;
  const isTold = (word: string, at: number) =>
    (isAgent && (UNGUARDED().test(word) || (UNGUARDED_VALUE(word) && /^-/.test(given[at - 1] ?? "")))) ||
    letter?.test(word) === true;
  const isSet =
    isAgent && [...environment].some(([name, value]) => UNGUARDED_VARIABLE().test(name) && GIVES_ALL().test(value));
  if (isSet || given.some(isTold))
    return "This starts an agent that asks nobody before it acts. Start it with its usual permissions";
  const isWindows = given.some((word) => WINDOWS[program.toLowerCase()]?.test(word));
  if (isWindows || changesOf(step).some(({ does }) => does === "unguards"))
    return `This switches off what protects the machine (${program}). Say what is blocked, and let a person decide`;
  if (
    program === "chmod" &&
    given.some((word) => /^(?:[goa]*u[goa]*|)\+[rwx]*s/.test(word) || /^0?[4567]\d{3}$/.test(word))
  )
    return "This lets a program run with the rights of another user. Use the usual rights: chmod 755";
  if (
    (program === "history" && given.some((word) => /^-\w*c/.test(word))) ||
    (program === "set" && given[0] === "+o" && given[1] === "history") ||
    (program === "unset" && given.includes("HISTFILE")) ||
    (program === "export" && given.some((word) => /^HIST(?:FILE=(?:\/dev\/null)?|(?:FILE)?SIZE=0)$/.test(word)))
  )
    return "This removes the record of what was typed in this shell. Keep it: nothing else says later what happened";
  if (program === "setcap" && given.some((word) => /cap_(?:setuid|sys_admin|dac_override|sys_ptrace)|^all/.test(word)))
    return "This lets a program do what only root may. Run the one step in a terminal of a person";
  return undefined;
}

/** A container that is as good as root here. */
function whyNotContainer({ program, arguments: given }: Step): string | undefined {
  const wide = "This container gets the whole machine: its disk, its processes or docker itself";
  if (
    program === "nsenter" &&
    given.some((word, at) => /^(?:-t1|--target=1)$/.test(word) || (oneOf("-t --target")(word) && given[at + 1] === "1"))
  )
    return `${wide}. Run the one step in a terminal of a person`;
  if (
    oneOf("kubectl oc")(program) &&
    given.some((word) => /"?(?:privileged|hostPID|hostNetwork)"?\s*[:=]\s*"?true/.test(word))
  )
    return `${wide}. Leave privileged out`;
  if (!oneOf("docker podman nerdctl")(program) || !given.some((word) => oneOf("run create exec")(word)))
    return undefined;
  const isRoot = given.some(
    (word, at) =>
      word === "--privileged" ||
      word === "--privileged=true" ||
      isWide(word.startsWith("--") && !word.includes("=") ? `${word}=${given[at + 1] ?? ""}` : word) ||
      /^(?:--(?:volume|mount|v)=|-v)?(?:type=bind,(?:source|src)=)?\/(?::|,)/.test(word) ||
      /docker\.sock(?::|,|$)/.test(word) ||
      /^(?:--volume=|-v)?\/(?:etc|root|boot|proc|sys|dev)\/?:(?!.*:ro$)/.test(word) ||
      (/^--(?:pid|ipc|userns|cgroupns)(?:=host)?$/.test(word) && (word.includes("=host") || given[at + 1] === "host")),
  );
  return isRoot
    ? 'This container gets the whole machine: its disk, its processes or docker itself. Mount the folder it needs: -v "$PWD:/work"'
    : undefined;
}

function isWide(option: string): boolean {
  return /^--(?:cap-add=(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_MODULE|SYS_PTRACE|SYS_RAWIO|DAC_READ_SEARCH)|security-opt=(?:seccomp|apparmor)[=:]unconfined|device=\/dev\/(?:sd|nvme|disk|mem|kmsg))/i.test(
    option,
  );
}

const ROOT = oneOf("sudo doas pkexec run0 su");

/** A shell of another user, in which nobody sees what happens; with the option, every command of one. */
function whyRoot({ program, arguments: given, startedBy }: Step, isAsked: boolean): string | undefined {
  if (!ROOT(program)) return undefined;
  const { operands, has } = optionsOf(given, {
    letters: program === "su" ? "cgGsTw" : "CghpRrTtuUD",
    names: ["user", "group", "chdir", "prompt", "role", "type", "command", "shell"],
  });
  if (has("k", "K", "v", "V", "l", "version", "help", "list", "validate") && program !== "su") return undefined;
  const isShell =
    program === "su"
      ? !has("c", "command")
      : operands.length === 0
        ? has("i", "s", "login", "shell")
        : operands.length === 1 && /^(?:.*\/)?(?:(?:ba|da|z|k|fi)?sh|su)$/.test(operands[0] ?? "");
  if (isShell)
    return `${program} opens a shell with the rights of another user, and no guard sees what happens in it. Give it the one command: sudo COMMAND`;
  return isAsked && !startedBy.some((one) => ROOT(one))
    ? `${program} acts with the rights of another user. Do without, or let a person run it`
    : undefined;
}

function whyAsk({ program, arguments: given, folder }: Step, project: string): string | undefined {
  if (oneOf("ssh scp sftp rsync autossh")(program) && given.some((word) => /StrictHostKeyChecking[= ]no\b/i.test(word)))
    return "This trusts whatever machine answers. Add the machine's key with ssh-keyscan, and let a person compare it";
  if (program === "chmod") {
    const { operands, has } = optionsOf(given.filter((word) => !/^-[rwxXst]+$/.test(word)));
    const [mode = "", ...paths] = operands;
    const isOpen =
      /^0?[0-7]?[0-7]?[2367]$/.test(mode) && mode.length >= 3
        ? true
        : /(?:^|,)(?:[ugo]*[oa][ugo]*|)[+=]r?w/.test(mode) && !/^u?g?[+=]/.test(mode);
    const isTemporary = paths.every((path) => kindOfPlace(resolvePlace(path, folder), project) === "temporary");
    return isOpen && !(isTemporary && !has("R"))
      ? "This lets every user of the machine write there. Use chmod 755 for programs and folders, 644 for files"
      : undefined;
  }
  if (oneOf("visudo usermod useradd adduser groupadd deluser userdel chpasswd passwd")(program))
    return "This changes who may do what on this machine. Let a person do it";
  return undefined;
}
