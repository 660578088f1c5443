import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { matchesGlob, mentions, once, optionsOf, type Step, steps } from "darwinian-minds/hook-policy/helpers";

const VALUED = {
  letters: "nlfcH",
  names: [
    "namespace",
    "context",
    "cluster",
    "kubeconfig",
    "selector",
    "filename",
    "user",
    "server",
    "project-name",
    "file",
    "host",
    "kube-context",
    "grace-period",
    "timeout",
    "filter",
    "token",
  ],
};
/** Of docker and compose themselves; `-p` is a project, or a port of `run`. */
const VALUED_IN_DOCKER = {
  letters: `${VALUED.letters}p`,
  names: [...VALUED.names, "profile", "env-file", "project-directory", "ansi", "progress", "parallel", "log-level"],
};
/** Behind a command that removes, `-f` and `-l` take no value: `rm -fsv`. */
const VALUED_BEHIND = { letters: "t", names: ["timeout", "time", "rmi", "filter"] };
/** The first words of these programs. What stands before is the value of an option. */
const VERBS = once(
  () =>
    /^(?:annotate|api-resources|app|appset|apply|attach|autoscale|build|buildx|builder|cluster|compose|config|container|context|cordon|cp|create|del|delete|describe|destroy|diff|down|drain|edit|events|exec|explain|export|expose|get|history|image|images|import|inspect|install|kill|label|list|load|login|logs|ls|network|node|patch|pause|plugin|port|proj|project|prune|ps|pull|push|rename|replace|repo|restart|rm|rmi|rollback|rollout|run|save|scale|search|secret|service|set|stack|start|stats|status|stop|swarm|sync|system|tag|taint|template|top|un|uncordon|uninstall|unpause|up|update|upgrade|version|volume|wait|watch)$/,
);
const INSTEAD = "Name the one container, image or resource that has to go, or let a person do it";

/** The operands from the first one that the program takes as its command. */
function commandIn(operands: readonly string[]): string[] {
  return operands.slice(
    Math.max(
      0,
      operands.findIndex((word) => VERBS().test(word)),
    ),
  );
}

interface Options {
  production: readonly string[];
}

export default defineToolPolicy<Options>({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (
      !mentions(
        event,
        /docker|podman|nerdctl|kubectl|helm|\boc\b|k3s|k9s|k8s|argocd|flux|minikube|kind|compose|crictl|buildah|istioctl|kustomize|k\b/i,
      )
    )
      return undefined;
    const all = steps(event);
    const lost = all.map(lossOf).find((one) => one !== undefined);
    if (lost !== undefined)
      return {
        action: "deny",
        reason: `\`${lost}\` destroys what runs in a cluster, or data of containers. ${INSTEAD}`,
      };
    const isAsked = all.some((one, at) => isProduction(one, all.slice(0, at), event.options.production));
    return !isAsked
      ? undefined
      : { action: "ask", reason: "This changes what runs in production. Try it in another context first" };
  },
});

function lossOf(step: Step): string | undefined {
  const { program, arguments: given } = step;
  const { has, values, ...all } = optionsOf(given, VALUED);
  const operands = commandIn(program === "k3s" || program === "microk8s" ? all.operands.slice(1) : all.operands);
  const said = operands.join(" ");
  const shown = `${program} ${operands.slice(0, 3).join(" ")}`;
  if (given.includes("--help") || given.some((word) => /^--dry-run(?:=(?:client|server|true))?$/.test(word)))
    return undefined;
  if (/^(?:kubectl|oc|k|k3s|kubecolor|microk8s)$/.test(program)) {
    const words = operands;
    if (words[0] === "delete" || words[0] === "drain")
      return isSmall(words, has("all", "A", "all-namespaces") || values("l", "selector").length > 0)
        ? undefined
        : shown;
    if (words[0] === "scale")
      return given.some((word, at) => word === "--replicas=0" || (word === "--replicas" && given[at + 1] === "0"))
        ? `${shown} --replicas=0`
        : undefined;
    if (words[0] === "replace") return has("force") ? `${shown} --force` : undefined;
    return words[0] === "apply" && has("prune") && has("all") ? `${shown} --prune --all` : undefined;
  }
  if (program === "helm" || program === "helmfile")
    return /^(?:uninstall|delete|del|un|destroy|rollback)\b/.test(said) && operands[0] !== "rollback"
      ? shown
      : undefined;
  if (program === "argocd") return /^(?:app|proj|cluster|repo|appset) (?:delete|rm)\b/.test(said) ? shown : undefined;
  if (program === "flux") return /^(?:delete|uninstall)\b/.test(said) ? shown : undefined;
  if (/^(?:minikube|kind|k3d)$/.test(program)) return undefined;
  if (/^(?:docker|podman|nerdctl|docker-compose|podman-compose)$/.test(program)) return lossOfDocker(step, shown);
  return undefined;
}

/** One pod comes back by itself, and a job is over; anything else is gone. */
function isSmall(words: readonly string[], isMany: boolean): boolean {
  if (isMany || words[0] === "drain") return false;
  const [, kind = "", ...names] = words;
  return /^(?:pods?|po|events?|jobs?)(?:\/|$|\.)/i.test(kind) && (names.length > 0 || kind.includes("/"));
}

function lossOfDocker({ program, arguments: given, starter, feeders }: Step, shown: string): string | undefined {
  const operands = commandIn(optionsOf(given, VALUED_IN_DOCKER).operands);
  const behind = (word: string) => optionsOf(given.slice(given.indexOf(word) + 1), VALUED_BEHIND);
  const isCompose = /-compose$/.test(program) || operands[0] === "compose";
  if (isCompose) {
    // A project may be called like a command, so the first one may be a name.
    const inside = operands.findIndex((word) => word === "run" || word === "exec");
    const words = inside < 0 ? operands : operands.slice(0, inside);
    const isLoss = ["down", "rm"].some((word) => words.includes(word) && behind(word).has("v", "volumes"));
    return isLoss ? `${shown} -v` : undefined;
  }
  const [noun = "", verb = ""] = operands;
  const { has } = behind(noun);
  if (noun === "system" && verb === "prune") return shown;
  if (noun === "volume") return /^(?:rm|remove|prune)$/.test(verb) ? shown : undefined;
  if (/^(?:swarm|stack|service|secret|config|node)$/.test(noun))
    return /^(?:rm|remove|leave)$/.test(verb) && (noun !== "swarm" || has("f", "force")) ? shown : undefined;
  const isFed = starter?.program === "xargs" && feeders.some((feeder) => /^(?:docker|podman)$/.test(feeder.program));
  const isAll =
    isFed ||
    (program === "podman" && has("a", "all")) ||
    given.some((word) => /\$\((?:docker|podman)\s|`(?:docker|podman)\s/.test(word));
  if (noun === "rm" || (noun === "container" && verb === "rm"))
    return has("v", "volumes") || (isAll && has("f", "force")) ? shown : undefined;
  if (noun === "rmi" || (noun === "image" && verb === "rm")) return isAll ? shown : undefined;
  if (noun === "image" && verb === "prune") return has("a", "all") ? `${shown} --all` : undefined;
  if (program === "podman" && noun === "system" && verb === "reset") return shown;
  return undefined;
}

function isProduction(
  { program, arguments: given }: Step,
  before: readonly Step[],
  production: readonly string[],
): boolean {
  if (!/^(?:kubectl|oc|k|helm|helmfile|argocd)$/.test(program)) return false;
  const { values, ...all } = optionsOf(given, VALUED);
  const operands = commandIn(all.operands);
  const isChange =
    /^(?:apply|create|patch|edit|replace|scale|rollout|set|annotate|label|exec|cp|upgrade|install|rollback|cordon|taint|run|expose|autoscale|sync|app)$/.test(
      operands[0] ?? "",
    ) && !/^(?:status|history)$/.test(operands[1] ?? "");
  if (!isChange) return false;
  const named = values("context", "kube-context", "cluster", "n", "namespace", "kubeconfig");
  return [...named, ...before.flatMap(chosenBy)].some((name) => matchesGlob(production, name.toLowerCase()));
}

/** The context or namespace that the call itself has gone to. */
function chosenBy({ program, arguments: given }: Step): string[] {
  if (/^(?:kubectx|kubens)$/.test(program)) return given.slice(-1);
  if (!/^(?:kubectl|oc|k)$/.test(program)) return [];
  const { operands, values } = optionsOf(given, VALUED);
  if (operands[0] === "project") return operands.slice(1, 2);
  if (operands[0] !== "config") return [];
  if (operands[1] === "use-context" || operands[1] === "use") return operands.slice(2, 3);
  return operands[1] === "set-context" ? values("n", "namespace") : [];
}
