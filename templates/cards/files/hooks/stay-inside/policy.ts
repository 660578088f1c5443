import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { type Effect, effects, kindOfPlace, mentions, projectOf } from "darwinian-minds/hook-policy/helpers";

/** Files that decide what runs when somebody logs in, opens a terminal or waits. */
const STARTED =
  /^~\/\.(?:bash_?(?:rc|profile|login|aliases)|profile|zsh(?:rc|env)|zprofile|zlogin|config\/fish\/.*|config\/autostart\/.*|config\/systemd\/.*|xprofile|xinitrc|inputrc|gitconfig|ssh\/(?:authorized_keys2?|config|rc|environment)|Library\/LaunchAgents\/.*)$|^~\/Library\/LaunchAgents\/|^\/etc\/|^\/Library\/Launch|^\/var\/spool\/cron|^\/usr\/lib\/systemd|^\/lib\/systemd/;
const SYSTEM =
  /^\/(?:bin|boot|etc|lib\d*|sbin|sys|proc|usr(?!\/local\/)|System|Library)(?:\/|$)|^[a-z]:\/windows(?:\/|$)/i;

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|MultiEdit|NotebookEdit|apply_patch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (!mentions(event, /[~/]|\.\.|HOME/)) return undefined;
    const project = projectOf(event);
    const found = effects(event).find((effect) => effect.does === "writes" && isOutside(effect, project));
    if (found === undefined) return undefined;
    return {
      action: "ask",
      reason: `${found.written} belongs to the machine, not to this project. Write below the project, and let a person copy it`,
    };
  },
});

function isOutside({ place, step }: Effect, project: string): boolean {
  if (step?.program === "mkdir" || step?.program === "touch") return SYSTEM.test(place);
  const kind = kindOfPlace(place, project);
  if (kind === "inside" || kind === "temporary" || kind === "device") return false;
  return STARTED.test(place) || SYSTEM.test(place);
}
