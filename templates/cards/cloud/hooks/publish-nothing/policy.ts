import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { mentions, once, optionsOf, type Step, steps } from "darwinian-minds/hook-policy/helpers";
import { deployedBy } from "../../services.ts";

/** For each program, the words that publish or deploy something. */
const PUBLISHES = once(
  (): Readonly<Record<string, RegExp>> => ({
    npm: /^(?:publish|unpublish|deprecate|dist-tag (?:add|rm)|owner (?:add|rm)|access|run release|run publish)(?:$|\s)/,
    pnpm: /^(?:-r )?(?:publish|-r publish)\b|^(?:release|run release|run publish)(?:$|\s)/,
    yarn: /^(?:publish|npm publish|run publish|release)\b/,
    bun: /^publish\b/,
    lerna: /^publish\b/,
    changeset: /^publish\b/,
    "semantic-release": /^/,
    "release-it": /^/,
    np: /^/,
    jsr: /^publish\b/,
    deno: /^publish\b/,
    twine: /^upload\b/,
    poetry: /^publish\b/,
    uv: /^publish\b/,
    hatch: /^publish\b/,
    flit: /^publish\b/,
    pdm: /^publish\b/,
    maturin: /^(?:publish|upload)\b/,
    cargo: /^(?:publish|yank|owner|release)\b/,
    gem: /^(?:push|yank|owner)\b/,
    rake: /^release\b/,
    mvn: /(?:^|\s)(?:deploy|release:perform)\b/,
    gradle: /(?:^|\s|:)publish(?!ToMavenLocal)\w*\b/,
    gradlew: /(?:^|\s|:)publish(?!ToMavenLocal)\w*\b/,
    sbt: /(?:^|\s)(?:publish|publishSigned|release)\b/,
    dotnet: /^nuget (?:push|delete)\b/,
    nuget: /^(?:push|delete)\b/,
    pod: /^(?:trunk push|repo push|trunk delete)\b/,
    dart: /^pub publish\b/,
    flutter: /^pub publish\b/,
    mix: /^hex\.publish\b/,
    vsce: /^(?:publish|unpublish)\b/,
    ovsx: /^publish\b/,
    oras: /^(?:push|copy|cp)\b/,
    docker: /^(?:push|image push|manifest push|compose push)\b/,
    podman: /^(?:push|image push|manifest push)\b/,
    nerdctl: /^push\b/,
    crane: /^(?:push|copy|cp|delete)\b/,
    helm: /^(?:push|cm-push)\b/,
    gh: /^repo edit (?:\S+ )?public\b|^release (?:create|edit|upload)\b|^workflow run .*(?:release|publish|deploy)/,
    goreleaser: /^release\b/,
    fastlane: /(?:^|\s)(?:deliver|pilot|supply|release|upload_to_\w+)\b/,
    eas: /^(?:submit|update)\b/,
    conan: /^upload\b/,
    anaconda: /^upload\b/,
    clojars: /^/,
    wrangler: /^pages publish\b/,
    snapcraft: /^(?:upload|push|release)\b/,
    charmcraft: /^(?:upload|release)\b/,
    drwn: /^card publish\b/,
  }),
);

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (
      !mentions(
        event,
        /publish|release|deprecate|dist-tag|owner|upload|push|deploy|prod|pages|surge|railway|\bup\b|cf\b|ship|rollback|promote|yank|trunk|submit|update|np\b|deliver|pilot|supply|crane|access|visibility|add|rm/i,
      )
    )
      return undefined;
    const all = steps(event);
    const step = all.find(publishes);
    const deployed = step === undefined ? all.map(deployedBy).find((what) => what !== undefined) : undefined;
    if (deployed !== undefined)
      return {
        action: "ask",
        reason: `\`${deployed}\` deploys this to where others use it. Build it, or deploy a preview, and let a person decide`,
      };
    if (step === undefined) return undefined;
    return {
      action: "deny",
      reason: `${step.program} publishes under somebody's name, and what is published stays. Build and check it (--dry-run, pack), and let a person publish`,
    };
  },
});

function publishes(step: Step): boolean {
  const { arguments: given } = step;
  const isModule = /^python[\d.]*$/.test(step.program) && given[0] === "-m";
  const program = isModule ? (given[1] ?? "") : step.program;
  const row = Object.hasOwn(PUBLISHES(), program) ? PUBLISHES()[program] : undefined;
  if (row === undefined) return false;
  const { has, operands } = optionsOf(isModule ? given.slice(2) : given, {
    letters: "wCf",
    names: ["filter", "workspace", "registry", "tag", "access", "otp", "prefix", "cwd"],
  });
  if (
    has("dry-run", "dry_run", "no-execute", "help", "list", "snapshot", "skip-publish", "draft") ||
    given.includes("-h") ||
    // `cargo yank --version 1.0.1` names the one to take back.
    (has("version") && operands[0] !== "yank") ||
    given.includes("--dryRun") ||
    (operands[0] === "run" && given.includes("--dry-run"))
  )
    return false;
  const isDryShort =
    (program === "cargo" && has("n")) ||
    (program === "semantic-release" && has("d")) ||
    (program === "dart" && has("n"));
  if (
    program === "drwn" ||
    (/^(?:docker|podman|nerdctl|crane)$/.test(program) &&
      operands.some((word) => /^(?:localhost|127\.0\.0\.1|kind-registry|registry\.local)[:/]/.test(word)))
  )
    return false;
  if (/^(?:docker|podman)$/.test(program) && /^(?:buildx )?build\b/.test(operands.join(" "))) return has("push");
  return !isDryShort && row.test(operands.join(" "));
}
