import { defineToolPolicy } from "darwinian-minds/hook-policy";
import {
  type Effect,
  effects,
  folderMeant,
  isRemote,
  kindOfPlace,
  liesBelow,
  oneOf,
  type PlaceKind,
  projectOf,
  resolvePlace,
} from "darwinian-minds/hook-policy/helpers";

const NAMES: Partial<Record<PlaceKind, string>> = {
  root: "the whole disk",
  system: "a part of the system",
  home: "a home folder, or a part of it that can't be restored",
  project: "the whole project",
  above: "a folder that the project lies in",
};
/** Folders whose contents a build makes again, if the agent works inside one. */
const MADE = () =>
  /(?:^|\/)(?:build|dist|out|target|node_modules|coverage|tmp|temp|cache|\.cache|\.next|__pycache__|obj)$/;

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|MultiEdit|apply_patch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const project = projectOf(event);
    const removed = effects(event).filter(({ does }) => does === "removes");
    for (const effect of removed) {
      const kind = lostKind(effect, project);
      if (kind === undefined) continue;
      const what = NAMES[kind] ?? "more than the project";
      return {
        action: "deny",
        reason: `This removes \`${shown(effect)}\`: ${what}. Remove only what is below the project, by its name`,
      };
    }
    const picked = removed.find(
      ({ place, isNarrowed }) => isNarrowed && oneOf("root home")(kindOfPlace(place, project)),
    );
    if (picked !== undefined) {
      return {
        action: "ask",
        reason:
          "This removes files all over the disk or a home. Look in the one folder that is meant: find ./build -name '*.o' -delete",
        irreversible: true,
      };
    }
    const made = placesMadeIn(effects(event));
    const outside = removed.filter(
      (effect) =>
        isOutside(effect, project) && !made.some((place) => effect.place === place || liesBelow(effect.place, place)),
    );
    const lost = outside.find((effect) => isWork(effect, project));
    if (lost !== undefined)
      return {
        action: "deny",
        reason: `This removes \`${shown(lost)}\`, a folder of somebody's home outside the project, which can't be restored. Move it to the trash, or let a person remove it`,
      };
    const [other] = outside;
    if (other !== undefined)
      return {
        action: "ask",
        reason: `\`${shown(other)}\` lies outside the project, and can't be restored. Remove only what is below the project, or let a person decide`,
        irreversible: true,
      };
    const open = removed.find((effect) => isOpen(effect, project));
    if (open !== undefined) {
      return {
        action: "ask",
        reason: `If the variable in \`${open.written}\` is empty, this removes what lies at the root. Write the path, or \${NAME:?}`,
      };
    }
    const unknown = removed.find((effect) => isUnknown(effect, project));
    if (unknown === undefined) return undefined;
    return {
      action: "ask",
      reason: `drwn can't tell which folder \`${unknown.written}\` is. Look at it first, then write the path`,
    };
  },
});

/** As a person may have written it: `${x:-}` is what the variable of `${x:-y}` holds. */
function shown({ written }: Effect): string {
  return written.replace(/\$\{(\w+):-\}/g, "$$$1");
}

/** Keys that nobody can make again, and the record of what was typed. */
const KEY = () =>
  /^~\/\.(?:ssh\/id_\w+|gnupg\/(?:private-keys|secring).*|(?:ba|z|k|fi)?sh_history|local\/share\/fish\/fish_history)$/;

/** `/e*`: whichever top folders a shell's pattern matches, the system or somebody needs them. find matches deeper. */
function isTopPattern(effect: Effect): boolean {
  const { place } = effect;
  return !isFound(effect) && /^\/(?!tmp)(?:(?:home|Users)\/)?[^/]*[*?[][^/]*$/.test(place);
}

/** What would be lost that is worth keeping. */
function lostKind(effect: Effect, project: string): PlaceKind | undefined {
  if (isRemote(effect.written)) return kindElsewhere(effect);
  const { place, isDeep, isNarrowed, step } = effect;
  const kind = kindOfPlace(place, project);
  const isAll = folderMeant(place) !== place;
  if (NAMES[kind] === undefined && KEY().test(place)) return step?.program === "mv" ? undefined : "home";
  if (NAMES[kind] === undefined)
    return isDeep && (isUnderSystem(place) || isTopPattern(effect)) && !liesBelow(place, project) && !isNarrowed
      ? "system"
      : undefined;
  if (!isDeep && !isAll && kind !== "root") return isUnderSystem(place) ? "system" : undefined;
  if (isNarrowed) return undefined;
  if (kind === "project" && (MADE().test(folderMeant(place)) || (isPlainStar(effect) && !isThrownAway(effect))))
    return undefined;
  const isLost = isThrownAway(effect);
  // What is moved still exists. Only places that others rely on must stay.
  if (
    step?.program === "mv" &&
    !isLost &&
    (kind === "above" || kind === "project" || oneOf("find xargs parallel")(step.starter?.program ?? ""))
  )
    return undefined;
  return kind;
}

/** What `rsync --delete` empties on another machine: nothing there is this project. */
function kindElsewhere({ written }: Effect): PlaceKind | undefined {
  const place = resolvePlace(written.replace(/^[^/]*?:(?:\/\/[^/]*)?/, "") || "~", "~");
  const kind = kindOfPlace(place, "/nowhere/project");
  const isServed = /^\/(?:var\/www|srv|opt)\b/.test(place);
  if (!isUnderSystem(place) && (isServed || !oneOf("root system home")(kind))) return undefined;
  return kind === "home" || kind === "root" ? kind : "system";
}

function isThrownAway({ step }: Effect): boolean {
  return step?.program === "mv" && step.arguments.at(-1) === "/dev/null";
}

/** `rm *` without `-r` leaves folders alone, but takes every file. */
function isPlainStar({ step, place }: Effect): boolean {
  return step?.program === "mv" && /\*$/.test(place);
}

/** Folders where an agent has nothing to remove. */
function isUnderSystem(place: string): boolean {
  return /^\/(?:bin|boot|lib\d*|sbin|sys|proc|etc|System)(?:\/|$)|^\/usr\/(?:bin|sbin|lib\d*|libexec|include)(?:\/|$)|^\/var\/(?:lib\/(?:dpkg|rpm|docker|mysql|postgresql|mongodb|redis|etcd|kubelet)(?:\/.*)?|(?:log|spool)\/?\*?)$/.test(
    place,
  );
}

function isFound({ step }: Effect): boolean {
  return [step?.program, step?.starter?.program].some((one) => oneOf("find fd fdfind xargs")(one ?? ""));
}

/** Caches and what builds and package managers put into a home, and make again. */
const REMADE = () =>
  /^~\/(?:\.(?:cache|npm|nvm\/.cache|yarn|pnpm-store|bun|cargo\/(?:registry|git)|rustup\/(?:tmp|downloads)|gradle|m2|ivy2|nuget|pub-cache|cpan|gem|conda\/pkgs|mypy_cache|pytest_cache|ccache|docker\/buildx|terraform\.d\/plugin-cache|eslintcache|node-gyp|electron|cocoapods|cpcache|julia\/compiled|stack|cabal\/packages)|\.local\/share\/(?:Trash|pnpm|uv|virtualenvs|pipx)|\.config\/[^/]*\/(?:Cache|GPUCache|Code Cache)|Library\/(?:Caches|Developer\/Xcode\/DerivedData|Logs)|go\/pkg|miniconda3\/pkgs|snap\/[^/]+\/common\/\.cache|tmp|temp)(?:\/|$)|^\/var\/(?:cache|lib\/apt\/lists)(?:\/|$)/i;

/** Names that say that a build or a download makes it again, or that nobody keeps it. */
const PASSING = () =>
  /(?:^|\/)(?:\.?(?:build|dist|out|output|target|node_modules|coverage|te?mp|scratch|cache|next|nuxt|venv|gradle|pytest_cache|mypy_cache|tox|turbo)|__pycache__|obj|bazel-\w+|[\w-]*(?:te?mp|scratch|cache)[\w-]*)(?:\/|$)|\.(?:log|tmp|temp|bak|orig|old|sw[op]|pid|lock|pyc|o|zip|tar|t?gz|xz|bz2|deb|rpm|dmg|pkg|whl|iso|part)$/i;

/** What lies outside of the project and of temporary folders: whole folders anywhere, and single files of a home. */
function isOutside(effect: Effect, project: string): boolean {
  const { place, isDeep, isNarrowed, step } = effect;
  // What find picks by name are single files.
  if (
    isNarrowed ||
    step?.program === "mv" ||
    step?.elsewhere === "container" ||
    (isFound(effect) && /[*?][^/]*$/.test(place))
  )
    return false;
  const meant = folderMeant(place);
  if (meant === "/tmp" && meant !== place && isDeep) return true;
  if (REMADE().test(meant) || PASSING().test(meant) || kindOfPlace(place, project) !== "outside") return false;
  return isDeep || (step !== undefined && meant.startsWith("~/"));
}

/** `~/work/shop`, unless it is beside the project: then it may be another copy of it. `/root` is the home of containers. */
function isWork(effect: Effect, project: string): boolean {
  const { place, written, isDeep, step } = effect;
  if (isFound(effect)) return false;
  const beside = project.replace(/\/[^/]+$/, "");
  return (
    isDeep &&
    step !== undefined &&
    /^~\/[^./][^/]*\/./.test(place) &&
    !/^\/root\b/.test(written) &&
    !liesBelow(place, beside)
  );
}

/** Folders that the call itself makes before: what is in them can be made again. */
function placesMadeIn(all: readonly Effect[]): string[] {
  const makes = (step: Effect["step"]) =>
    step?.program === "mkdir" ||
    (step?.program === "git" && step.arguments.some((word) => oneOf("clone worktree")(word)));
  const first = all.findIndex(({ does }) => does === "removes");
  return all.slice(0, first).flatMap(({ does, place, step }) => (does === "writes" && makes(step) ? [place] : []));
}

/** `"$DIR"/*` and `~/$DIR`, where nobody knows what is in the variable. */
function isOpen({ written, place, isDeep }: Effect, project: string): boolean {
  if (!isDeep || /^\$\{?(?:PWD|TMPDIR|RUNNER_TEMP)\b/.test(written)) return false;
  const parent = /^(.*)\/\$\{?\w+\}?$/.exec(place)?.[1];
  if (parent !== undefined && oneOf("root home system above")(kindOfPlace(parent === "" ? "/" : parent, project)))
    return true;
  const below = /^\$\{?\w+\}?(\/+[^/$`*]+)\/*$/.exec(written)?.[1];
  if (below !== undefined && kindOfPlace(below, project) === "system" && !isBuilt(written)) return true;
  return /^\$\{?\w+\}?\/+(?:\.?\*.*)?$/.test(written);
}

/** A word that is one expansion. Those with a default are judged by the default, those of a function by its calls. */
const WHOLE = () => /^(?:\$\{?!?[A-Za-z_]\w*\}?|\$\{\w+(?:: ?\d|[^\w:}-])[^{}]*\}|\$\([\s\S]*\)|`[\s\S]*`)$/;
/** Variables whose names say that a build makes what is in them, or that nobody keeps it. */
const SPEAKING = () => /BUILD|DIST|OUT|TARGET|TMP|TEMP|CACHE|COVERAGE|ARTIFACT|GENERATED|WORK_?DIR|SCRATCH/i;
/** Commands that print names in the project. */
const NAMING = () =>
  /^(?:\$\(|`)\s*(?:find\s+(?:\.(?!\.)|[\w@])\S*|fd\b|git\s+(?:ls-files|diff|status|clean\s+-\w*n)|ls(?:\s+(?:-\w+|(?:\.(?!\.)|[\w@*])\S*))*\s*\)|cd\s+"?(?:\$(?!HOME)[\w(]|\w|\.(?!\.))[^;]*&&\s*pwd\b|(?:basename|mktemp)\b|npm\s+pack\b)/;

/** `"$D"`, `$(cat list)`: nothing says where it lies. A variable that the call doesn't set, but names as a build's, may. */
function isUnknown({ written, place, isDeep, isNarrowed, step }: Effect, project: string): boolean {
  if (!isDeep || isNarrowed || step?.program === "mv" || step?.elsewhere === "container") return false;
  if (kindOfPlace(place, project) !== "unknown") return false;
  // After `cd "$D"`, the place of `*` is what the variable holds.
  const meant = /^[$`]/.test(written)
    ? written.replace(/\/+\.?\*?$/, "")
    : /^\*+$/.test(written)
      ? folderMeant(place)
      : "";
  return WHOLE().test(meant) && !NAMING().test(meant) && !isBuilt(meant);
}

function isBuilt(written: string): boolean {
  return /^\$\{?\w/.test(written) && SPEAKING().test(written);
}
