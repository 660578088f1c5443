import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { mentions, once, optionsOf, type Step, steps } from "darwinian-minds/hook-policy/helpers";
import { argumentsOf, destroyedInCode, removedByService } from "../../services.ts";

/** For each program, the words that destroy something of value, in their order; more words may follow. */
const DESTROYS = once(
  (): Readonly<Record<string, readonly RegExp[]>> => ({
    terraform: [/^(?:destroy|state (?:rm|push)|workspace delete|force-unlock|taint)\b/],
    terragrunt: [/^(?:run-all |(?:stack )?run )?destroy\b|^destroy-all\b|^state rm\b/],
    pulumi: [/^(?:destroy|down|dn)\b|^stack rm\b|^state delete\b/],
    cdk: [/^destroy\b/],
    cdktf: [/^destroy\b/],
    sam: [/^delete\b/],
    copilot: [/^(?:app|svc|env|job) delete\b/],
    serverless: [/^remove\b/],
    sls: [/^remove\b/],
    sst: [/^remove\b/],
    eksctl: [/^delete\b/],
    kops: [/^delete\b/],
    eb: [/^terminate\b/],
    aws: [
      /^[\w-]+ (?:batch-)?(?:delete|terminate|destroy|purge|deregister|disable|remove|schedule-key-deletion|cancel|reset)-?[\w-]*/,
      /^s3 (?:rb|rm)\b/,
      /^ec2 (?:stop-instances|release-address)\b/,
    ],
    gcloud: [
      /^(?:[\w-]+ ){1,5}?(?:delete|destroy|purge|remove-iam-policy-binding|abandon-instances|failover)\b/,
      /^storage rm\b/,
    ],
    gsutil: [/^(?:rm|rb)\b/],
    bq: [/^rm\b/],
    az: [/^(?:[\w-]+ ){1,6}?(?:delete|purge|remove|deallocate|delete-batch)\b/],
    doctl: [/^(?:[\w-]+ ){1,4}?(?:delete|destroy|rm|delete-selected)\b/],
    heroku: [
      /^(?:apps:(?:destroy|delete)|destroy|addons:destroy|pg:(?:reset|credentials:destroy|backups:delete)|domains:(?:remove|clear)|config:unset|pipelines:destroy|ps:stop)\b/,
    ],
    fly: [/^(?:apps |volumes? |machines? |postgres |m |vol )?(?:destroy|delete|rm)\b/],
    flyctl: [/^(?:apps |volumes? |machines? |postgres )?(?:destroy|delete|rm)\b/],
    vercel: [/^(?:rm|remove|(?:project|projects|domains|env|dns|alias|secrets?|teams?) (?:rm|remove))\b/],
    netlify: [/^(?:sites:delete|env:unset)\b/],
    railway: [/^(?:down|delete|environment delete|volume delete)\b/],
    wrangler: [/^(?:delete|(?:[\w:-]+ ){1,2}delete|secret:? ?delete)\b/],
    firebase: [
      /^(?:projects:delete|functions:delete|firestore:delete|database:remove|hosting:(?:disable|channel:delete|sites:delete)|apps:delete)\b/,
    ],
    supabase: [/^(?:projects|functions|branches|secrets) (?:delete|unset)\b/],
    ibmcloud: [/^(?:[\w-]+ ){1,4}?(?:delete|rm|service-delete)\b/],
    oci: [/^(?:[\w-]+ ){1,4}?(?:delete|terminate|bulk-delete)\b/],
    linode: [/^[\w-]+ (?:delete|rm)\b/],
    "linode-cli": [/^[\w-]+ (?:delete|rm)\b/],
    hcloud: [/^[\w-]+ (?:delete|destroy|rebuild|reset)\b/],
    scw: [/^(?:[\w-]+ ){1,4}?(?:delete|terminate)\b/],
    vultr: [/^[\w-]+ (?:delete|destroy)\b/],
    "vultr-cli": [/^[\w-]+ (?:delete|destroy)\b/],
    vault: [
      /^(?:kv (?:delete|destroy|metadata delete)|delete|secrets disable|auth disable|operator (?:seal|step-down)|token revoke|lease revoke)\b/,
    ],
    consul: [/^(?:kv delete|leave|force-leave)\b/],
    nomad: [/^(?:job stop|stop|system gc|namespace delete|job (?:deregister|purge))\b/],
    gh: [
      /^repo (?:delete|archive|rename)\b/,
      /^release delete\b|^release delete-asset\b/,
      /^workflow disable\b/,
      /^(?:secret|variable|ssh-key|gpg-key|cache|label|run|codespace|cs|environment|gist|issue|ruleset|project) (?:delete|remove)\b/,
    ],
    glab: [/^(?:repo|release|variable|mr|issue) delete\b/],
    vagrant: [/^destroy\b/],
    virsh: [/^(?:destroy|undefine|vol-delete|pool-delete|pool-destroy)\b/],
    multipass: [/^(?:delete|purge)\b/],
    rclone: [/^(?:purge|delete|deletefile|cleanup|rmdirs?)\b/],
    s3cmd: [/^(?:rb|rm|del)\b/],
    mc: [/^(?:rb|rm)\b/],
    ansible: [/\b(?:state=absent)\b/],
    rabbitmqctl: [/^(?:reset|force_reset|delete_\w+|purge_queue)\b/],
    "kafka-topics": [/\bdelete\b/],
  }),
);
const APPROVES = once(
  (): Readonly<Record<string, RegExp>> => ({
    terraform: /^apply\b/,
    terragrunt: /^(?:run-all |(?:stack )?run )?apply\b|^apply-all\b/,
    pulumi: /^(?:up|update|refresh)\b/,
    cdk: /^deploy\b/,
  }),
);
const INSTEAD = "Show what would go (plan, list, describe) and let a person do it";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (
      !mentions(
        event,
        /terra|tofu|pulumi|cdk|sam\b|serverless|sls|sst|eks|kops|aws|gcloud|gsutil|bq|az\b|doctl|heroku|fly|vercel|netlify|railway|wrangler|firebase|supabase|cloud|oci|linode|hcloud|scw|vultr|vault|consul|nomad|gh\b|glab|vagrant|virsh|multipass|rclone|s3|mc\b|ansible|delete|destroy|terminate|purge|undeploy|teardown|deprovision|nuke|uninstall|remove|drop|\brb\b|reset|copilot|eb\b|rabbit|kafka/i,
      )
    )
      return undefined;
    for (const step of steps(event)) {
      const what = destroyedBy(step) ?? destroyedInCode(step);
      if (what !== undefined)
        return { action: "deny", reason: `\`${what}\` destroys what runs elsewhere, or its data. ${INSTEAD}` };
      if (isUnseen(step))
        return {
          action: "deny",
          reason: `This changes infrastructure without showing a plan to anybody. Run ${step.program} without the automatic yes, or plan -out`,
        };
    }
    const asked = steps(event)
      .map(removedByService)
      .find((what) => what !== undefined);
    if (asked !== undefined)
      return { action: "ask", reason: `\`${asked}\` removes what runs elsewhere or in a cluster. ${INSTEAD}` };
    const short = event.toolName.replace(/^mcp__/, "");
    const isServer =
      /^mcp__/.test(event.toolName) &&
      /(?:aws|gcp|azure|cloud|kube|k8s|terraform|github|gitlab|vercel|netlify|heroku|cloudflare|digitalocean|render|railway|supabase|neon|docker).*__.*(?:delete|destroy|terminate|remove)(?![_-]?(?:\w+[_-])?(?:comment|reaction|label|review|thread|draft|message|subscription|notification|star|assignee))/i.test(
        event.toolName,
      );
    return isServer ? { action: "deny", reason: `${short} destroys what runs elsewhere. ${INSTEAD}` } : undefined;
  },
});

function destroyedBy(step: Step): string | undefined {
  const { program } = step;
  const given = argumentsOf(step);
  const name = /^(?:tofu|opentofu|terraform[\d.]+)$/.test(program) ? "terraform" : program.replace(/\.sh$/, "");
  const rows = Object.hasOwn(DESTROYS(), name) ? (DESTROYS()[name] ?? []) : [];
  const { has, values } = optionsOf(given, { letters: "t" });
  if (
    has("help", "dryrun", "dry-run", "dry_run", "preview-only") ||
    given.some((word) => /^-h(?:elp)?$/.test(word)) ||
    given.includes("--generate-cli-skeleton")
  )
    return undefined;
  if (name === "aws" && given.length === 3 && given[2] === "help") return undefined;
  const words = operandsOf(name, given);
  const text = words.join(" ");
  if (
    /^(?:terraform|terragrunt)$/.test(name) &&
    /^(?:run-all )?(?:apply|plan)\b/.test(text) &&
    given.some((word) => /^--?destroy$/.test(word))
  )
    return /apply/.test(text) ? `${program} apply -destroy` : undefined;
  if (name === "aws" && /^s3 sync\b/.test(text) && has("delete")) return `${program} s3 sync --delete`;
  if (name === "aws" && /^(?:s3api|[\w-]+) (?:cancel-spot|disable-metrics|reset-image)/.test(text)) return undefined;
  // One row and one message, as a DELETE with a WHERE.
  if (name === "aws" && /^(?:dynamodb delete-item|sqs delete-message(?:-batch)?)(?: |$)/.test(text)) return undefined;
  if (name === "gcloud" && /^(?:config|auth) /.test(text)) return undefined;
  if (name === "az" && /^(?:account|config|configure|logout|extension) /.test(text)) return undefined;
  if (name === "gsutil" && /^rsync\b/.test(text) && given.some((word) => /^-\w*d/.test(word))) return "gsutil rsync -d";
  if (name === "rclone" && /^sync\b/.test(text)) return undefined;
  if (name === "gh" && /^api\b/.test(text))
    return values("X", "method")
      .concat(afterX(given))
      .some((verb) => /^DELETE$/i.test(verb))
      ? "gh api DELETE"
      : undefined;
  if (
    name === "curl" &&
    afterX(given).some((verb) => /^DELETE$/i.test(verb)) &&
    given.some((word) =>
      /^https:\/\/(?:api\.(?:github|cloudflare|digitalocean|heroku|vercel|netlify|render|fly|linode|hetzner|pagerduty|stripe)\.|[\w.-]*(?:amazonaws|googleapis|azure)\.com)/.test(
        word,
      ),
    )
  )
    return "curl -X DELETE";
  if (name === "kafka-topics") return has("delete") ? "kafka-topics --delete" : undefined;
  return rows.some((row) => row.test(text)) ? [program, ...words.slice(0, 3)].join(" ") : undefined;
}

/** Options with values before and between the words of a cloud's command line. */
function operandsOf(name: string, given: readonly string[]): string[] {
  const names = [
    "profile",
    "region",
    "project",
    "zone",
    "output",
    "query",
    "format",
    "account",
    "subscription",
    "resource-group",
    "name",
    "app",
    "context",
    "cluster",
    "cwd",
    "stack",
    "repo",
    "endpoint-url",
    "config",
    "namespace",
    "g",
    "n",
    "scope",
    "token",
    "team",
    "instance",
    "environment",
  ];
  const letters =
    name === "az"
      ? "gnos"
      : name === "heroku" || /^fly/.test(name)
        ? "ar"
        : name === "pulumi"
          ? "sC"
          : name === "gh"
            ? "Rr"
            : name === "eksctl"
              ? "f"
              : "";
  const plain = given.filter((word) => !(name === "terraform" && /^-chdir/.test(word)));
  return optionsOf(plain, { letters, names }).operands;
}

function afterX(given: readonly string[]): string[] {
  return given.flatMap((word, at) =>
    /^(?:-X|--request|--method)$/.test(word)
      ? [given[at + 1] ?? ""]
      : (/^(?:-X|--request=|--method=)(.+)$/.exec(word)?.slice(1) ?? []),
  );
}

function isUnseen(step: Step): boolean {
  const { program, feeders } = step;
  const given = argumentsOf(step);
  const name = /^(?:tofu|opentofu)$/.test(program) ? "terraform" : program;
  const verb = Object.hasOwn(APPROVES(), name) ? APPROVES()[name] : undefined;
  if (verb === undefined || !verb.test(operandsOf(name, given).join(" "))) return false;
  if (
    feeders.some(
      (one) => one.program === "yes" || (one.program === "echo" && /^y(?:es)?$/i.test(one.arguments.at(-1) ?? "")),
    )
  )
    return true;
  return given.some(
    (word, at) =>
      /^--?auto-approve(?:=true)?$/.test(word) ||
      (name === "pulumi" && /^(?:-\w*y\w*|--yes|--skip-preview|-f)$/.test(word)) ||
      (name === "cdk" &&
        (word === "--require-approval=never" || (word === "--require-approval" && given[at + 1] === "never"))) ||
      word === "--terragrunt-non-interactive",
  );
}
