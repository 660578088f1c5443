import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import { effects, inputOfEdit, oneOf, oneOfAnyCase, type Step, steps } from "darwinian-minds/hook-policy/helpers";

const CI =
  /(?:^|\/)(?:\.github\/workflows\/.+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci\/.+|azure-pipelines\.ya?ml|Jenkinsfile|bitbucket-pipelines\.ya?ml|\.travis\.yml|\.drone\.yml|\.buildkite\/.+|\.pre-commit-config\.ya?ml|lefthook\.ya?ml|\.husky\/.+|Makefile|Taskfile\.ya?ml|justfile|tox\.ini|noxfile\.py|package\.json)$/;
const CHECKS =
  /(?:^|\/)(?:\.?(?:eslint|stylelint|biome|oxlint|prettier|jest|vitest|vite|nyc|c8|babel|mocha|ava|commitlint|knip|size-limit)(?:rc)?(?:\.config)?(?:\.\w+)*|tsconfig[\w.-]*\.json|\.coveragerc|coverage\.ini|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc|\.rubocop\.ya?ml|\.golangci\.ya?ml|clippy\.toml|codecov\.ya?ml|\.codecov\.ya?ml|sonar-project\.properties|phpstan\.neon(?:\.dist)?|phpunit\.xml(?:\.dist)?|detekt\.yml|checkstyle\.xml|package\.json|jacoco\S*|build\.gradle(?:\.kts)?|pom\.xml|\.nycrc|Cargo\.toml|\.?clippy\.toml)$/;
/** Files that hold only checks: nobody would notice that one is gone. */
const ONLY_CHECKS =
  /(?:^|\/)(?:\.github\/workflows\/.*(?:test|check|ci|lint|verify|build|quality|coverage)[^/]*\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci\/config\.yml|azure-pipelines\.ya?ml|Jenkinsfile|\.travis\.yml|\.pre-commit-config\.ya?ml|\.?codecov\.ya?ml|\.coveragerc|\.?(?:eslint|stylelint|oxlint|commitlint)(?:rc)?(?:\.config)?(?:\.\w+)?|\.?pylintrc|\.flake8|mypy\.ini|\.rubocop\.ya?ml|\.golangci\.ya?ml|phpstan\.neon(?:\.dist)?)$/;
const IGNORES =
  /\|\|\s*(?:true|:|exit 0|echo\b)|[^\s;]\s*;\s*(?:exit 0|true)\s*(?:["'#]|$)|^\t@?-@?\s*(?:\S+=\S* )*(?:(?:npm|pnpm|yarn|npx|uv|poetry|bundle|go|cargo|dotnet|mvn|python3?) .*)?(?:test|jest|vitest|pytest|rspec|lint|eslint|ruff|mypy|clippy|rubocop|tsc|check|verify)\b|continue-on-error:\s*true|allow_failure:\s*true|continueOnError:\s*true|\bset \+e\b|--no-error-on-unmatched|--passWithNoTests|--exit-zero|--max-warnings[= ](?:-1|\d{3,})|ignore_errors:\s*(?:true|yes)|failOnError:\s*false|if:\s*false|when:\s*never|-DskipTests|-Dmaven\.test\.skip|--skip-tests|ignoreFailures\s*=\s*true|soft_fail:\s*true/m;
const SWITCHED_OFF =
  /["']?[\w@/-]+["']?\s*[:=]\s*(?:\[?\s*["']off["']|\[?\s*0\b)|"?(?:strict\w*|noImplicit\w+|noUnused\w+|noUnchecked\w+|exactOptional\w+|checkJs|warn_\w+|disallow_\w+)"?\s*[:=]\s*(?:false|False)|"?skipLibCheck"?\s*:\s*true|ignore_missing_imports\s*=\s*[Tt]rue|ignore_errors\s*=\s*[Tt]rue|--no-strict|extend-ignore|per-file-ignores|Enabled:\s*false|"enabled":\s*false|passWithNoTests["']?\s*[:=]\s*true|(?:testFailureIgnore|\bskip(?:Tests|ITs)?)>\s*true|\bignoreFailures\b(?:\s*=\s*|\.set\()true|\bfailO\w+>\s*false/;
const THRESHOLD =
  /["']?(branches|functions|lines|statements|fail_under|fail-under|cov-fail-under|minimum_coverage|minimum|target|threshold|min(?:imum)?_?(?:coverage|score|msi)|min-?covered\w*|level|--(?:cov-)?fail-under|MSI)["']?\s*[:=\s>]\s*["']?(\d+(?:\.\d+)?)%?/gi;
const SUPPRESSES =
  /(?:\/\/|\/\*|#|<!--)\s*(?:eslint-disable(?!-next-line \S+ --)|@ts-(?:nocheck|ignore)|biome-ignore-all|prettier-ignore-start|type:\s*ignore(?!\[)|noqa(?!:)|pylint:\s*disable=all|flake8:\s*noqa|mypy:\s*ignore-errors|rubocop:disable (?:all|Lint)|nolint(?!:)|istanbul ignore|c8 ignore|v8 ignore|pragma: no cover|noinspection ALL|phpcs:disable)|#!\[allow\((?:warnings|clippy::all|unused)/;

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|MultiEdit|apply_patch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const reason = weakens(event);
    return reason === undefined
      ? undefined
      : { action: "ask", reason: `${reason}. Fix what the check finds, or say why the check is wrong` };
  },
});

function weakens(event: ToolPolicyEvent): string | undefined {
  for (const { place, written, before, after, isNew } of inputOfEdit(event)) {
    const added = (pattern: RegExp) => pattern.test(after) && !pattern.test(before);
    if (CI.test(place) && added(IGNORES)) return `This lets checks of ${written} fail without anybody noticing`;
    if (LEFT_OUT.test(place) && leftOut(after) > leftOut(before))
      return `This takes something out of what is checked (${written})`;
    if (
      isNew &&
      CHECKS.test(place) &&
      isAppended(event, written) &&
      (SWITCHED_OFF.test(after) || LEAVES_OUT.test(after))
    )
      return `This switches a check of ${written} off`;
    if (isNew) continue;
    if (/(?:^|\/)package\.json$/.test(place) && isLess(scriptsIn(before), scriptsIn(after)))
      return `This makes a script of ${written} check nothing`;
    if (CHECKS.test(place) && (added(SWITCHED_OFF) || isMilder(before, after)))
      return `This switches a check of ${written} off`;
    if (CHECKS.test(place) && after === "" && NAMED.test(before)) return `This takes a check out of ${written}`;
    if (CHECKS.test(place) && isLowered(before, after)) return `This lowers a threshold of ${written}`;
    if ((CHECKS.test(place) && isShorter(before, after)) || (CI.test(place) && runsLess(before, after)))
      return `This takes something out of what ${written} checks`;
    if (added(SUPPRESSES)) return `This keeps a check from looking at ${written}`;
  }
  const gone = effects(event).find(
    ({ does, place, step }) => does === "removes" && ONLY_CHECKS.test(place) && step?.program !== "mv",
  );
  if (gone !== undefined) return `This removes the checks of ${gone.written}`;
  return steps(event).some((step) => setsScript(step) || rewritesCheck(step)) ? "This weakens a check" : undefined;
}

/** `/coverageThreshold/d` */
const NAMED = /^\W*\w*(?:lint|strict|coverage|threshold)\w*\W*$/i;
/** Files that list what a check leaves out. Those of git, of packers and of search tools don't count. */
const LEFT_OUT =
  /(?:^|\/)\.(?!(?:git|hg|bzr|docker|npm|vscode|helm|gcloud|vercel|slug|cf|eb|cursor|rg|ag|fd)ignore)\w+ignore$/;
const GENERATED = /^!|^#|^[*/]*(?:node_modules|dist|build|out|target|vendor|coverage|\.\w+|\w*generated\w*)\b/;

function leftOut(text: string): number {
  return text.split("\n").filter((line) => line.trim() !== "" && !GENERATED.test(line.trim())).length;
}

/** `echo … >> file`, `echo … | tee -a file`: what was there before stays. */
function isAppended(event: ToolPolicyEvent, written: string): boolean {
  return steps(event).some(
    ({ program, arguments: given, redirections }) =>
      redirections.some(({ operator, target }) => operator.endsWith(">>") && target === written) ||
      (program === "tee" && given.includes(written) && given.some((word) => /^-\w*a|^--append$/.test(word))),
  );
}

/** `yq -i '.jobs.test.continue-on-error = true' ci.yml`, `jq 'del(.scripts.lint)' package.json > p`. */
function rewritesCheck({ program, arguments: given, redirections }: Step): boolean {
  const isWritten =
    redirections.some(({ operator }) => operator.startsWith(">")) ||
    given.some((word) => /^(?:-\w*i\w*|--inplace)$/.test(word));
  if (!oneOf("jq gojq yq")(program) || !isWritten || !given.some((word) => CI.test(word) || CHECKS.test(word)))
    return false;
  return given.some((word) => {
    const set = word.replace(/["']?\]?\s*\|?=\s*/g, ": ");
    const [, text] = /(?:^|\.|\[")(?:test|lint|check|typecheck|coverage|verify)[\w:-]*: "([^"]*)"/.exec(set) ?? [];
    return (
      IGNORES.test(set) ||
      SWITCHED_OFF.test(set) ||
      (text !== undefined && isNothing(text)) ||
      /\bdel\([^)]*\b(?:jobs|steps|scripts\.(?:test|lint|check)|strict|rules|linters|coverageThreshold)\b/.test(word)
    );
  });
}

/** A number for each name that a pattern finds: a threshold, what a rule demands. */
function numbersIn(text: string, pattern: RegExp, toNumber: (value: string) => number = Number): Map<string, number> {
  return new Map([...text.matchAll(pattern)].map(([, name = "", value = ""]) => [name, toNumber(value)]));
}

/** Whether one of the numbers is smaller than it was. */
function isLess(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): boolean {
  return [...before].some(([name, was]) => (after.get(name) ?? was) < was);
}

/** The scripts that check, with 0 for those that do nothing but print. */
function scriptsIn(text: string): Map<string, number> {
  const script = /"((?:test|lint|check|typecheck|coverage|verify)[\w:-]*)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;
  return numbersIn(text, script, (one) => (isNothing(one) ? 0 : 1));
}

function isNothing(text: string): boolean {
  return /^\s*(?:(?:echo|printf)\b[^|&;]*|true|:|exit 0)?\s*(?:&&\s*exit 0)?\s*$/.test(text);
}

/** `npm pkg set scripts.test="exit 0"`. */
function setsScript({ program, arguments: given }: Step): boolean {
  if (!oneOf("npm pnpm")(program) || given[0] !== "pkg" || !oneOf("set delete")(given[1] ?? "")) return false;
  return given.slice(2).some((word) => {
    const found = /^scripts\.(?:test|lint|check|typecheck|coverage|verify)[\w:-]*(?:=([\s\S]*))?$/.exec(word);
    return found !== null && (isNothing(found[1] ?? "") || IGNORES.test(found[1] ?? ""));
  });
}

const SEVERITY =
  /(?<![\w@/.-])([\w@/.-]+)["']?\s*[:=]\s*(?:\[\s*|\{\s*level\s*=\s*)?["']?(forbid|deny|error|fail|warn(?:ing)?|info|hint|allow|off|ignore|none|silent)\b/gi;

const DEMANDS =
  /"?\b(?:strict\w*|noImplicit\w+|noUnused\w+|noUnchecked\w+|exactOptional\w+|warn_\w+|disallow_\w+)"?\s*[:=]\s*[tT]rue\b/g;

/** A rule that says less than it did: `deny` is `allow` now. */
function isMilder(before: string, after: string): boolean {
  const rank = (word: string) => (oneOfAnyCase("forbid deny error fail")(word) ? 2 : /^warn/i.test(word) ? 1 : 0);
  const severities = (text: string) => numbersIn(text, SEVERITY, rank);
  const demands = (text: string) =>
    [...severities(text).values()].filter((one) => one > 0).length + [...text.matchAll(DEMANDS)].length;
  // A rule that was removed isn't enforced any more; one that was renamed is.
  if (after.trim() !== "" && demands(after) < demands(before)) return true;
  return isLess(severities(before), severities(after));
}

/** Keys of lists that exclude something, and of lists that include it. */
const LEAVES_OUT =
  /\b(?:\w*[iI]gnore\w*|exclude\w*|omit|norecursedirs|deselect|disabled?(?:[_-]\w+)?|skip\w*)["']?\s*[:=]|--(?:ignore|deselect|exclude)\b/;
const TAKES_IN =
  /\b(?:extend-)?(?:select|enable|enabled|include|checks|linters|testMatch|testpaths|plugins|rules)["']?\s*[:=]/;
/** A check that runs: a hook of pre-commit, a command of a step. */
const RUNS_CHECK =
  /^[ \t]*-[ \t]+id:\s*\S+|\b(?:pytest|jest|vitest|playwright|mocha|rspec|rubocop|eslint|tsc|mypy|pyright|ruff|flake8|golangci-lint|phpunit|phpstan|ctest|shellcheck|(?:npm|pnpm|yarn|bun|make|just|task|deno)(?: run)? (?:test|lint|check|typecheck|coverage|verify)|(?:go|cargo|dotnet|mix|swift|flutter) (?:test|vet|clippy|fmt --check|format --check)|(?:mvn|gradlew?) .*?(?:test|verify|check))\b/gm;

function isShorter(before: string, after: string): boolean {
  if (before === "") return false;
  const items = (text: string) =>
    [...text.matchAll(/"[^"\n]+"|'[^'\n]+'|^[ \t]*-[ \t]+\S/gm)].length +
    [...text.matchAll(/--(?:ignore|deselect|exclude)[= ]\S/g)].length;
  if (/\benabled?["']?\s*[:=]/.test(before) && after === before.replace(/\benable(?=d?["']?\s*[:=])/g, "disable"))
    return true;
  const leavesOut = LEAVES_OUT.test(after) && items(after) > items(before);
  return leavesOut || (TAKES_IN.test(before) && items(after) < items(before));
}

/** `eslint` among dependencies runs nothing. */
function runsLess(before: string, after: string): boolean {
  const runs = (text: string) => [...text.replace(/^[ \t]*#.*$/gm, "").matchAll(RUNS_CHECK)].length;
  return !/"(?:version|dependencies|devDependencies)"|": "[\^~]?\d/.test(before) && runs(after) < runs(before);
}

const MAXIMUM =
  /["']?\b(max[\w-]*|Max|complexity|cognitive[\w-]*)["']?\s*[:=]\s*(?:\[\s*["']?\w+["']?\s*,\s*)?["']?(\d+)/g;

/** Whether a minimum is lower than it was, or a maximum higher. An edit that leaves no minimum takes it away. */
function isLowered(before: string, after: string): boolean {
  const [had, has] = [numbersIn(before, THRESHOLD), numbersIn(after, THRESHOLD)];
  const isGone = had.size > 0 && has.size === 0 && after !== "";
  return isGone || isLess(had, has) || isLess(numbersIn(after, MAXIMUM), numbersIn(before, MAXIMUM));
}
