import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  type Effect,
  effects,
  mentions,
  oneOf,
  optionsOf,
  projectOf,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";
import { isHolder, isLoaded, isLoadedFolder, isOwnKey, isProtected, takesProtected } from "../../places.ts";

/** drwn's commands for people. */
const FOR_PEOPLE = () =>
  /^card (?:trust|untrust|yank|unyank|set|allow)\b|^(?:card )?remove\b|^(?:pause|uninstall|allow)\b|^trust (?:accept|request|settings|(?:.* )?--(?:no-)?adopt)\b|^key (?:trust|new)\b|^config (?:set|unset)\b|^card show (?:.* )?--accept-fewer\b|^log (?!show )(?:.* )?--inputs(?:$|[ =](?!show))|^card source use\b|^registry (?:add|remove)\b/;
/** With one of these flags, a command that agents may run is for people only. */
const PEOPLE_FLAGS: readonly string[] = ["--trust", "--secret"];
const DRWN = () => /(?:^|\/)(?:drwn(?:\.js)?|darwinian-minds)(?:@[^/]*)?$/;
const RUNNERS = oneOf("node npx npm pnpm pnpx yarn bun bunx eval exec command time");
const AGENTS = oneOf("claude claude-code codex gemini copilot opencode kilo pi qwen cursor-agent");
/** Arguments and variables that start an agent with other hooks, or without any. */
const LAUNCH = () =>
  /^--(?:settings|setting-sources|extensions|bare|pure|plugin-dir|safe-mode|(?:no|ignore|skip|without|disable)-(?:[\w-]*-)?(?:hooks?|plugins?|extensions?|mods|config|settings))(?:=|$)|disableAllHooks|allowManagedHooksOnly|(?:codex_)?hooks\s*=\s*(?:false|\{|\[)|^features\.[\w.]*hooks/;
const LAUNCH_VARIABLE = () =>
  /^(?:DRWN_\w+|HOME|USERPROFILE|XDG_CONFIG_(?:HOME|DIRS)|(?:CLAUDE|CODEX|GEMINI|COPILOT|OPENCODE|KILO|PI|QWEN|CURSOR)_(?:\w*_)?(?:HOME|DIRS?|CONFIG\w*|SETTINGS\w*|HOOKS?|PLUGINS?|EXTENSIONS?|PURE|BARE|SIMPLE|SAFE_MODE|SHELL\w*|ENV_FILE)|NODE_OPTIONS|BUN_OPTIONS|LD_PRELOAD|DYLD_INSERT_LIBRARIES)$/;
/** Words with which agents change their own hooks, plugins and servers. */
const OWN_VERBS = () =>
  /^(?:mcp (?:add|add-json|remove)|plugins? (?:install|add|remove|uninstall|disable|enable|marketplace)|extensions? (?:install|uninstall|disable|enable|link)|config set|features (?:enable|disable)|hooks)\b/;
/** What only drwn is told, whatever the program is called. */
const UNMISTAKABLE = () =>
  /^(?:allow (?!list(?: |$))\S|card (?:trust|untrust|allow|yank)\b|trust (?:accept|request|settings|(?:.* )?--(?:no-)?adopt)\b|key trust\b)/;
const JAVASCRIPT = oneOf("node nodejs deno bun tsx ts-node");
/** A script whose name doesn't say whose it is: a package's folder, or drwn's own entry. */
const NAMELESS = () => /^\.{1,2}\/?$|^(?:.*\/)?[^/.]+$|(?:^|\/)(?:dist|src)\/cli\/|drwn/;
/** Programs that give another one a new name. */
const COPIERS = oneOf("cp ln mv install rsync");
/** Programs that move what is below a folder without naming it. */
const MOVERS = oneOf("rm mv ln rsync tar chmod chown setfacl find unlink shred chattr mount umount");
/** Programs that tell where something lies. */
const FINDERS = oneOf("locate plocate mlocate mdfind find fd fdfind which whereis");
/** Programs that end others, by name or by what a search for it finds. */
const ENDERS = oneOf("kill pkill killall killall5 skill taskkill");
const SERVICES = oneOf("launchctl systemctl");
const STOPPING = oneOf("stop disable mask kill unload bootout remove");
const NAMED = () => /(?:^|[^\w-])(?:drwn|darwinian-minds|hook(?:-[a-z-]+)?\.cjs)(?![\w-])/;
/** `$(which drwn)`. */
const FOUND = () => /[$`(](?:which|command -v|type -[pP]|whereis)\s+["']?(?:drwn|darwinian-minds)\b/;
const PERSON = "A person can, in a terminal of their own; drwn status shows what is guarded";

export default defineToolPolicy({
  policyKind: "enforcement",
  // Tools that list, and lists of tasks: whatever else there is may change something, or read a key.
  matcher: "!Glob|LS|TodoWrite|TodoRead|WebFetch|WebSearch",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (
      !mentions(
        event,
        /drwn|darwinian|\.agents|claude|codex|gemini|cursor|copilot|opencode|kilo|qwen|\bpi_|\bpi\b|managed|remote-settings|requirements\.toml|keys|\ballow\b|\btrust\b|\.github|\.mcp\.json|hook|DRWN/i,
      )
    )
      return undefined;
    const reason = whyNot(event);
    if (reason !== undefined) return { action: "deny", reason: `${reason}. ${PERSON}` };
    const loaded = effects(event).find(
      (effect) => effect.does === "writes" && (isLoaded(effect.place, contentOf(effect, event)) || isFilled(effect)),
    );
    return loaded === undefined
      ? undefined
      : {
          action: "ask",
          reason: `Agents may run what ${loaded.written} says by themselves. Write it without \`!\`…\`\` and hooks, or let a person read it`,
          irreversible: true,
        };
  },
});

/** A command that puts a folder, a link or an archive's files where agents load from. */
function isFilled({ content, place, step }: Effect): boolean {
  return step !== undefined && !oneOf("mkdir touch")(step.program) && (content ?? "") === "" && isLoadedFolder(place);
}

/** All of a file's new content; undefined: nobody knows. An edit leaves the rest of the file as it was. */
function contentOf({ content, step }: Effect, { toolName, input }: ToolPolicyEvent): string | undefined {
  if (step !== undefined) return content === "" || oneOf("sed perl ed ex")(step.program) ? undefined : content;
  // A patch has all lines that it puts in, whole.
  if (toolName === "apply_patch")
    return textsOf(input)
      .join("\n")
      .replace(/^(?!\+).*$|^\+/gm, "");
  return toolName === "Write" ? content : undefined;
}

function textsOf(input: unknown): string[] {
  if (typeof input === "string") return [input];
  return typeof input === "object" && input !== null ? Object.values(input).flatMap(textsOf) : [];
}

function whyNot(event: ToolPolicyEvent): string | undefined {
  const key = effects(event).find(({ does, place }) => does === "reads" && isOwnKey(place));
  if (key !== undefined) return `${key.written} holds the key with which a person signs`;
  const touched = effects(event).find(
    ({ does, place, step }) =>
      does !== "reads" &&
      (isProtected(place) ||
        (step !== undefined && (isFound(step) || /[*?]/.test(place)) && takesProtected(place, isFound(step))) ||
        (isHolder(place) && step !== undefined && step.program !== "mkdir" && step.program !== "touch")),
  );
  if (touched !== undefined) return `An agent may not change ${touched.written}`;
  const isRenamed = steps(event).some(
    ({ program, arguments: given }) =>
      COPIERS(program) && given.some((word) => DRWN().test(word) || FOUND().test(word) || NAMED().test(word)),
  );
  for (const step of steps(event)) {
    const verb = verbFor(step) ?? unmistakable(step, isRenamed);
    if (verb !== undefined) return `An agent may not run \`drwn ${verb}\``;
    const place = step.arguments.find((word) => isMoved(step, word, projectOf(event)));
    if (place !== undefined) return `An agent may not change ${place}`;
    if (uninstalls(step)) return "This takes drwn itself away";
    if (isFedByName(step)) {
      if (ENDERS(step.program)) return "This ends what drwn has running";
      if (MOVERS(step.program)) return "This takes drwn itself away";
    }
    if (step.arguments.some((word) => NAMED().test(word))) {
      if (ENDERS(step.program) || (SERVICES(step.program) && step.arguments.some((word) => STOPPING(word))))
        return "This ends what drwn has running";
      if (MOVERS(step.program) && step.arguments.some((word) => FOUND().test(word)))
        return "This takes drwn itself away";
    }
    if (isLaunch(step) && !onlyStartsDrwn(step, steps(event)))
      return `This starts or changes ${step.program} past its hooks`;
  }
  return undefined;
}

/** `locate drwn | xargs rm`, `pgrep drwn | xargs kill`. */
function isFedByName({ starter, feeders }: Step): boolean {
  return (
    starter?.program === "xargs" &&
    feeders.some(
      ({ program, arguments: given }) =>
        (FINDERS(program) || oneOf("pgrep pidof")(program)) && given.some((word) => NAMED().test(word)),
    )
  );
}

/** Programs that type or run something later, or under another name. */
const CARRIERS = () =>
  /^(?:at|batch|crontab|screen|xdotool|ydotool|wtype|osascript|make|gmake|just|watch|git (?:config|-c)|(?:npm|pnpm) pkg)(?: |$)/;
const CARRIED = () => /(?:^|[^\w-])(?:drwn|darwinian-minds)\s+([a-z][^\n"';&|]*)/g;

function fedBy(feeders: Step["feeders"]): string[] {
  return feeders.flatMap((one) => [...one.arguments, ...one.redirections.map(({ body }) => body ?? "")]);
}

/** A command for people among the arguments or in the input of such a program. */
function carriedBy({ program, arguments: given, redirections, feeders }: Step): string | undefined {
  if (!CARRIERS().test([program, given[0]].join(" "))) return undefined;
  const text = [...given, ...redirections.map(({ body, target }) => body ?? target), ...fedBy(feeders)].join("\n");
  return [...text.matchAll(CARRIED())]
    .map(([, typed = ""]) => spell(typed.split(" ")))
    .find((verb) => FOR_PEOPLE().test(verb));
}

/** Which of drwn's commands for people this is; undefined: none of them. */
function verbFor(step: Step): string | undefined {
  const { program, path: place, arguments: given } = step;
  const carried = carriedBy(step);
  if (carried !== undefined) return carried;
  const fed = step.starter?.program === "xargs" ? fedBy(step.feeders).join(" ").trim().split(/\s+/) : [];
  const words = [place, ...given, ...fed];
  // If only running the shell would tell the program's name, assume the worst.
  const isUnknown = /[$`*?[]/.test(place) || DRWN().test(place);
  const at = isUnknown ? 0 : RUNNERS(program) ? words.findIndex((word) => DRWN().test(word) || FOUND().test(word)) : -1;
  if (at < 0) return undefined;
  const rest = words.slice(at + 1);
  if (rest.includes("--help") && !rest.includes("--")) return undefined;
  if (/^allow --list(?: --json)?$/.test(rest.join(" "))) return undefined;
  const typed = spell(rest);
  if (FOR_PEOPLE().test(typed)) return typed;
  const flag = DRWN().test(words[at] ?? "")
    ? PEOPLE_FLAGS.find((one) => rest.some((word) => word === one || word.startsWith(`${one}=`)))
    : undefined;
  return flag === undefined ? undefined : `${typed} ${flag}`;
}

/** What drwn is told: the command, and then the flags. oclif takes `card:trust` for `card trust`. */
function spell(words: readonly string[]): string {
  const isFlag = (word: string) => word.startsWith("-");
  const command = words.filter((word) => !isFlag(word)).map((word) => word.replaceAll(":", " "));
  return [...command, ...words.filter(isFlag)].join(" ");
}

/** `node . allow x` in drwn's own folder, `./d allow x` after `cp "$(which drwn)" d`. */
function unmistakable({ program, arguments: given }: Step, isRenamed: boolean): string | undefined {
  const words = given.filter((word) => !word.startsWith("-"));
  const flags = given.filter((word) => word.startsWith("-"));
  const at = JAVASCRIPT(program) ? words.findIndex((word) => NAMELESS().test(word) && word !== "run") : -1;
  const starts = [...(isRenamed ? [0, 1] : []), ...(at >= 0 ? [at + 1] : [])];
  return starts.map((from) => spell([...words.slice(from), ...flags])).find((typed) => UNMISTAKABLE().test(typed));
}

/** find matches anything below the folder where it starts. */
function isFound({ program, starter }: Step): boolean {
  return [program, starter?.program ?? ""].some((one) => /^g?find$|^fd(?:find)?$/.test(one));
}

function uninstalls({ program, arguments: given }: Step): boolean {
  return (
    oneOf("npm pnpm yarn bun volta brew scoop choco winget mise asdf apt apt-get dnf")(program) &&
    given.some((word) => oneOf("uninstall unlink remove purge rm r un")(word)) &&
    given.some((word) => /^(?:darwinian-minds|drwn)(?:@.*)?$/.test(word))
  );
}

function isMoved({ program, arguments: given, folder }: Step, word: string, project: string): boolean {
  const place = word.startsWith("/") || word.startsWith("~") || folder === project ? word : `${folder}/${word}`;
  if (program === "find" && !given.some((one) => /^-(?:delete|exec|fprint)/.test(one))) return false;
  return MOVERS(program) && (isProtected(place) || (isHolder(place) && !oneOf("ln rsync tar")(program)));
}

/** `env -u DRWN_HOME drwn status`: nothing else runs with it, and what drwn is told is judged by itself. */
function onlyStartsDrwn(step: Step, all: readonly Step[]): boolean {
  const startedBy = ({ starter }: Step): boolean => starter !== undefined && (starter === step || startedBy(starter));
  const started = step.program === "env" ? all.filter(startedBy) : [];
  const isText = (one: Step) =>
    oneOf("sh bash dash zsh")(one.program) && one.arguments[0] === "-c" && all.some(({ starter }) => starter === one);
  return started.length > 0 && started.every((one) => one.program === "drwn" || isText(one));
}

function isLaunch({ program, arguments: given, environment, startedBy, starter }: Step): boolean {
  const isEnv = program === "export" || program === "env" || program === "unset";
  const names = [...environment.keys(), ...(isEnv ? given.map((word) => word.split("=")[0] ?? "") : [])];
  if (isEnv && names.some((name) => name.startsWith("DRWN_"))) return true;
  if (!AGENTS(program)) return false;
  if (names.some((name) => LAUNCH_VARIABLE().test(name)) || startedBy.includes("never")) return true;
  // Somebody else's settings hold for somebody else.
  if (startedBy.some((one) => oneOf("sudo doas su runuser pkexec")(one))) return true;
  if (starter?.program === "env" && takesAway(starter.arguments)) return true;
  const verbs = given.filter((word) => !word.startsWith("-")).join(" ");
  const isHooksOff = given.some(
    (word, at) =>
      (oneOf("--disable --enable")(word) && /hooks?/.test(given[at + 1] ?? "")) ||
      /^--(?:disable|enable)=.*hooks?/.test(word),
  );
  // A profile is a file of settings.
  const isProfile = program === "codex" && given.some((word) => /^(?:-p|--profile(?:=|$)|--profile-v2)/.test(word));
  // They load other code, or trust a folder's: a person decides about both.
  const isOpened =
    program === "pi" &&
    (/^(?:install|remove|uninstall|config)\b/.test(verbs) ||
      given.some((word) => /^(?:-ne|-e|-a|--extension(?:=|$)|--approve)/.test(word)));
  return isHooksOff || isProfile || isOpened || OWN_VERBS().test(verbs) || given.some((word) => LAUNCH().test(word));
}

/** `env -i`, `env -u CODEX_HOME`: the agent looks for its settings elsewhere. */
function takesAway(given: readonly string[]): boolean {
  const { has, values } = optionsOf(given, { letters: "uCS", names: ["unset", "chdir"] });
  return (
    has("i", "ignore-environment") ||
    given[0] === "-" ||
    values("u", "unset").some((name) => LAUNCH_VARIABLE().test(name))
  );
}
