import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import { inputOfEdit, mentions, type Step, steps } from "darwinian-minds/hook-policy/helpers";

const CI =
  /(?:^|\/)(?:\.github\/workflows\/.+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci\/.+|azure-pipelines\.ya?ml|Jenkinsfile|bitbucket-pipelines\.ya?ml|\.travis\.yml|\.drone\.yml|\.buildkite\/.+|\.pre-commit-config\.ya?ml|lefthook\.ya?ml|\.husky\/.+|Makefile|Taskfile\.ya?ml|justfile|tox\.ini|noxfile\.py|package\.json)$/;
const CHECKS =
  /(?:^|\/)(?:\.?(?:eslint|stylelint|biome|oxlint|prettier|jest|vitest|vite|nyc|c8|babel|mocha|ava|commitlint|knip|size-limit)(?:rc)?(?:\.config)?(?:\.\w+)*|tsconfig[\w.-]*\.json|\.coveragerc|coverage\.ini|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|\.?ruff\.toml|\.flake8|\.pylintrc|\.rubocop\.ya?ml|\.golangci\.ya?ml|clippy\.toml|codecov\.ya?ml|\.codecov\.ya?ml|sonar-project\.properties|phpstan\.neon(?:\.dist)?|phpunit\.xml(?:\.dist)?|detekt\.yml|checkstyle\.xml|package\.json|jacoco\S*|build\.gradle(?:\.kts)?|\.nycrc)$/;
const IGNORES =
  /\|\|\s*(?:true|:|exit 0|echo\b)|continue-on-error:\s*true|allow_failure:\s*true|continueOnError:\s*true|\bset \+e\b|--no-error-on-unmatched|--passWithNoTests|--exit-zero|--max-warnings[= ](?:-1|\d{3,})|ignore_errors:\s*(?:true|yes)|failOnError:\s*false|if:\s*false|when:\s*never|-DskipTests|-Dmaven\.test\.skip|--skip-tests|ignoreFailures\s*=\s*true|soft_fail:\s*true/;
const SWITCHED_OFF =
  /["']?[\w@/-]+["']?\s*[:=]\s*(?:\[?\s*["']off["']|\[?\s*0\b)|"?(?:strict\w*|noImplicit\w+|noUnused\w+|noUnchecked\w+|exactOptional\w+|checkJs|warn_\w+|disallow_\w+)"?\s*[:=]\s*(?:false|False)|"?skipLibCheck"?\s*:\s*true|ignore_missing_imports\s*=\s*[Tt]rue|ignore_errors\s*=\s*[Tt]rue|--no-strict|extend-ignore|per-file-ignores|Enabled:\s*false|"enabled":\s*false|testPathIgnorePatterns|passWithNoTests["']?\s*[:=]\s*true/;
const THRESHOLD =
  /(?:["']?(?:branches|functions|lines|statements|fail_under|fail-under|cov-fail-under|minimum_coverage|minimum|target|threshold|min(?:imum)?_?(?:coverage|score|msi)|min-?covered\w*)["']?|--(?:cov-)?fail-under|MSI)\s*[:=\s]\s*["']?(\d+(?:\.\d+)?)%?/gi;
const SUPPRESSES =
  /(?:\/\/|\/\*|#|<!--)\s*(?:eslint-disable(?!-next-line \S+ --)|@ts-(?:nocheck|ignore)|biome-ignore-all|prettier-ignore-start|type:\s*ignore(?!\[)|noqa(?!:)|pylint:\s*disable=all|flake8:\s*noqa|mypy:\s*ignore-errors|rubocop:disable (?:all|Lint)|nolint(?!:)|istanbul ignore|c8 ignore|v8 ignore|pragma: no cover|noinspection ALL|phpcs:disable)|#!\[allow\((?:warnings|clippy::all|unused)/;

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|MultiEdit|apply_patch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (
      !mentions(
        event,
        /true|off|false|ignore|disable|noqa|nolint|skip|cover|fail|threshold|\d|error|warn|pragma|never|nocheck|strict|echo|exit/i,
      )
    )
      return undefined;
    const reason = weakens(event);
    return reason === undefined
      ? undefined
      : { action: "ask", reason: `${reason}. Mend what the check finds, or say why the check is wrong` };
  },
});

function weakens(event: ToolPolicyEvent): string | undefined {
  for (const { place, written, before, after, isNew } of inputOfEdit(event)) {
    const added = (pattern: RegExp) => pattern.test(after) && !pattern.test(before);
    if (CI.test(place) && added(IGNORES)) return `This lets checks of ${written} fail without anybody noticing`;
    if (isNew) continue;
    if (/(?:^|\/)package\.json$/.test(place) && isSilenced(before, after))
      return `This makes a script of ${written} check nothing`;
    if (CHECKS.test(place) && added(SWITCHED_OFF)) return `This switches a check of ${written} off`;
    if (CHECKS.test(place) && isLowered(before, after)) return `This lowers a threshold of ${written}`;
    if (added(SUPPRESSES)) return `This keeps a check from looking at ${written}`;
  }
  return steps(event).some(editsCheck) ? "This weakens a check" : undefined;
}

/** A script that runs checks, and afterwards only says something or nothing. */
function isSilenced(before: string, after: string): boolean {
  const script = /"((?:test|lint|check|typecheck|coverage|verify)[\w:-]*)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;
  const was = new Map([...before.matchAll(script)].map(([, name = "", text = ""]) => [name, text]));
  const isNothing = (text: string) =>
    /^\s*(?:(?:echo|printf)\b[^|&;]*|true|:|exit 0)?\s*(?:&&\s*exit 0)?\s*$/.test(text);
  return [...after.matchAll(script)].some(([, name = "", text = ""]) => {
    const old = was.get(name);
    return old !== undefined && !isNothing(old) && isNothing(text);
  });
}

function isLowered(before: string, after: string): boolean {
  const values = (text: string) =>
    new Map(
      [...text.matchAll(THRESHOLD)].map(([whole, value = ""]) => [
        whole.replace(/[\d.%"'\s:=]+$/g, "").replace(/^["']/, ""),
        Number(value),
      ]),
    );
  const now = values(after);
  return [...values(before)].some(
    ([name, value]) => (now.get(name) ?? (after === "" ? value : -1)) < value && (now.has(name) || now.size === 0),
  );
}

function editsCheck({ program, arguments: given }: Step): boolean {
  const isEditor = /^(?:sed|gsed|perl)$/.test(program) && given.some((word) => /^-\w*i/.test(word));
  const file = given.some((word) => CI.test(word) || CHECKS.test(word));
  return (
    isEditor &&
    file &&
    given.some(
      (word) =>
        IGNORES.test(word) ||
        SWITCHED_OFF.test(word) ||
        /(?:branches|functions|lines|statements|fail_under|threshold|minimum).*\/.*\d/.test(word),
    )
  );
}
