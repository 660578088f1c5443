import { defineToolPolicy } from "darwinian-minds/hook-policy";
import {
  type Effect,
  effects,
  kindOfPlace,
  matchesGlob,
  oneOf,
  projectOf,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";

/** Files that decide what runs when somebody logs in, opens a terminal or waits. */
const STARTED = () =>
  /^~\/\.(?:bash_?(?:rc|profile|login|logout|aliases)|profile|zsh(?:rc|env)|zprofile|zlog(?:in|out)|(?:k|t?c)shrc|login|logout|pam_environment|config\/environment\.d\/.*|config\/git\/config|xsession(?:rc)?|config\/(?:fish|powershell)\/.*|config\/autostart\/.*|config\/systemd\/.*|xprofile|xinitrc|inputrc|gitconfig|ssh\/(?:authorized_keys2?|config|rc|environment|id_\w+)|Library\/LaunchAgents\/.*)$|^~\/Library\/LaunchAgents(?:\/|$)|^~\/\.config\/(?:autostart|systemd\/user)$|^\/etc\/|^\/Library\/Launch|^\/var\/spool\/cron|^\/usr\/lib\/systemd|^\/lib\/systemd/;
const SYSTEM = () =>
  /^\/(?:bin|boot|etc|lib\d*|sbin|sys|proc|usr(?!\/local\/)|usr\/local\/s?bin|System|Library)(?:\/|$)|^\/$|^[a-z]:\/windows(?:\/|$)/i;

interface Options {
  only: readonly string[];
  ask: readonly string[];
}

export default defineToolPolicy<Options>({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|MultiEdit|NotebookEdit|apply_patch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const project = projectOf(event);
    const found = effects(event).find(
      (effect) => effect.does === "writes" && isOutside(effect, project, event.options),
    );
    const registrar = found === undefined ? steps(event).find(registers) : undefined;
    if (registrar?.program === "crontab")
      return {
        action: "ask",
        reason: "This replaces what cron starts on this machine, and nothing keeps a copy. Let a person edit it",
        irreversible: true,
      };
    if (registrar !== undefined)
      return {
        action: "ask",
        reason: "This makes something start by itself on this machine. Start it by hand, and let a person register it",
      };
    if (found === undefined) return undefined;
    return {
      action: "ask",
      reason: `${found.written} belongs to the machine, not to this project. Write below the project, and let a person copy it`,
      irreversible: true,
    };
  },
});

/** Programs that put a file in such a place themselves. */
function registers({ program, arguments: given }: Step): boolean {
  if (program === "crontab") return !given.some((word) => /^-\w*l/.test(word));
  if (program === "systemctl") return given.some((word) => oneOf("enable link edit reenable")(word));
  if (oneOf("update-rc.d chkconfig rc-update")(program)) return given.length > 1;
  return program === "launchctl" && oneOf("load bootstrap submit enable")(given[0] ?? "");
}

function isOutside({ place, step }: Effect, project: string, { only, ask }: Options): boolean {
  if (matchesGlob(ask, place)) return true;
  if (step?.program === "mkdir" || step?.program === "touch") return SYSTEM().test(place);
  const kind = kindOfPlace(place, project);
  if (kind === "inside" || kind === "temporary" || kind === "device") return false;
  if (matchesGlob(only, place)) return false;
  return only.length > 0 || STARTED().test(place) || SYSTEM().test(place);
}
