import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { changes, matchesGlob, oneOf, programCallOf, type Step, steps } from "darwinian-minds/hook-policy/helpers";

const INSTEAD = "Show what would go (get, ps, volume ls, --dry-run), and let a person do it";

interface Options {
  production: readonly string[];
}

export default defineToolPolicy<Options>({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const all = steps(event);
    const destroyed = changes(event).find(
      ({ does, kind }) => oneOf("destroys applies")(does) && oneOf("containers cluster")(kind ?? ""),
    );
    const lost = destroyed?.what ?? all.find(removesMany)?.program;
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

/** All containers or images that a list names: `docker rm -f $(docker ps -aq)`. */
function removesMany(step: Step): boolean {
  const { arguments: given, starter, feeders } = step;
  const { program, words, has, onlyLooks } = programCallOf(step);
  if (program !== "docker" || onlyLooks) return false;
  const isMany =
    (starter?.program === "xargs" && feeders.some((feeder) => oneOf("docker podman nerdctl")(feeder.program))) ||
    given.some((word) => /\$\((?:docker|podman|nerdctl)\s|`(?:docker|podman|nerdctl)\s/.test(word));
  const said = words.join(" ");
  return (
    isMany && (/^(?:rmi|image rm)(?: |$)/.test(said) || (/^(?:container )?rm(?: |$)/.test(said) && has("f", "force")))
  );
}

const CHANGING = () =>
  /^(?:apply|create|patch|edit|replace|scale|rollout|set|annotate|label|exec|cp|upgrade|install|rollback|cordon|taint|run|expose|autoscale|sync|app)(?: (?!status|history)|$)/;

function isProduction(step: Step, before: readonly Step[], production: readonly string[]): boolean {
  const { kind, words, where, onlyLooks, does } = programCallOf(step);
  const isChanging = kind === "cluster" ? CHANGING().test(words.join(" ")) : does("applies") !== undefined;
  if (onlyLooks || !isChanging) return false;
  return [...where, ...before.flatMap(chosenBy)].some((name) =>
    namesIn(name).some((one) => matchesGlob(production, one)),
  );
}

/** A name and, of a file or an address in the cloud, its last part: `arn:aws:eks:…:cluster/prod`, `~/.kube/prod.yaml`. */
function namesIn(written: string): string[] {
  const name = written.toLowerCase();
  return [name, (name.split("/").at(-1) ?? name).replace(/\.(?:ya?ml|conf(?:ig)?|ini)$/, "")];
}

/** The context or namespace that the call itself has gone to. */
function chosenBy(step: Step): string[] {
  if (oneOf("kubectx kubens")(step.program)) return step.arguments.slice(-1);
  const { program, words, values } = programCallOf(step);
  const [noun, verb, name] = words;
  if (program !== "kubectl") return [];
  if (noun === "project") return words.slice(1, 2);
  if (noun !== "config" || name === undefined) return [];
  if (verb === "use-context" || verb === "use") return [name];
  return verb === "set-context" ? values("n", "namespace") : [];
}
