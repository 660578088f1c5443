import { codeOf, once, optionsOf, type Step } from "darwinian-minds/hook-policy/helpers";

/** Programs that manage what runs elsewhere or in a cluster, with commands of the same form: a thing and a verb. */
const SERVICES = once(
  () =>
    /^(?:minikube|kind|k3d|k3sup|colima|ctlptl|okteto|rosa|cf|koyeb|northflank|render|scalingo|clever|dokku|temporal|databricks|confluent|atlas|neon|turso|pscale|upstash|auth0|stripe|algolia|argo|tkn|airflow|prefect|velero|kubeadm|k0s|rke2?|linkerd|dapr|packer|zeabur|convex|amplify|ampx|snow|mlflow|wandb|hf|modal|replicate|juju|openstack|pvesh|qm|pct|govc|xe|b2|coscli|ossutil|azcopy|s5cmd|swift|tccli|aliyun|yc|exo|civo|sentry|datadog|pm2-deploy|nats|pulsar-admin|rpk|mysqlsh|vcluster|kops|metal|hcp|infracost|cloudctl|stackit|ovhcloud|clerk|fauna|xata|prismic|contentful|sanity|deployctl|porter|qovery|garden|devspace)$|(?:ctl|-cli|-admin)$/,
);
/** Programs of that form that manage only this machine, and those with their own guards. */
const LOCAL = once(
  () =>
    /^(?:systemctl|journalctl|launchctl|sysctl|loginctl|hostnamectl|timedatectl|localectl|bluetoothctl|playerctl|brightnessctl|pactl|wpctl|busctl|networkctl|resolvectl|coredumpctl|machinectl|udevctl|apachectl|nginxctl|supervisorctl|kubectl|redis-cli|valkey-cli|keydb-cli|mssql-cli|del-cli|dotenv-cli|sequelize-cli|django-admin|git-cli)$/,
);
const VERB = once(
  () =>
    /^(?:[\w@./-]+[ :]){0,4}?(?:(?:\w+-)?delete(?:-[\w-]+)?|destroy|terminate|purge|undeploy|teardown|deprovision|nuke|uninstall|drop|rb)(?:$|[ :])|^[\w-]+ (?:Delete|Terminate|Destroy|Remove|Release)[A-Z]\w*/,
);
const RESETS = /^(?:kubeadm|talosctl|k0s|k0sctl|rke2?) reset\b/;

/** What such a program would remove; undefined: nothing, or it is another program. */
export function removedByService({ program, arguments: given }: Step): string | undefined {
  if (!SERVICES().test(program) || LOCAL().test(program)) return undefined;
  const { has, operands } = optionsOf(given);
  if (has("help", "dry-run", "dryrun") || given.includes("-h")) return undefined;
  const words = operands.join(" ");
  return VERB().test(words) || RESETS.test(`${program} ${words}`)
    ? [program, ...operands.slice(0, 3)].join(" ")
    : undefined;
}

/** For each program, the words that deploy something to where others use it. */
const DEPLOYS = once(
  (): Readonly<Record<string, RegExp>> => ({
    wrangler: /^(?:deploy|publish|pages deploy|versions deploy|rollback)\b/,
    firebase: /^deploy\b/,
    fly: /^(?:deploy|launch)\b/,
    flyctl: /^(?:deploy|launch)\b/,
    railway: /^(?:up|deploy|redeploy)\b/,
    gcloud: /^(?:(?:beta|alpha) )?(?:run|app|functions)(?: services| jobs)? deploy\b/,
    aws: /^(?:deploy create-deployment|ecs update-service|lambda update-function-code|elasticbeanstalk update-environment|amplify start-deployment|apprunner start-deployment)\b/,
    az: /^(?:webapp|functionapp|containerapp|staticwebapp)(?: deployment\b.*)? (?:up|deploy|update|source config-zip)\b/,
    heroku: /^(?:container:release|pipelines:promote|releases:rollback|rollback)\b/,
    doctl: /^apps (?:create-deployment|update)\b/,
    supabase: /^(?:functions deploy|db push)\b/,
    cf: /^push\b/,
    cap: /(?:^| )deploy\b/,
    amplify: /^(?:publish|push)\b/,
    surge: /^(?!list|help|whoami|login|teardown)/,
    "gh-pages": /^/,
    dokku: /^(?:ps:rebuild|git:sync)\b/,
  }),
);
/** Programs for which `deploy` is enough. */
const DEPLOYERS = once(
  () =>
    /^(?:eb|sls|serverless|sst|sam|cdk|kamal|mrsk|copilot|convex|modal|deployctl|koyeb|clever|scalingo|zeabur|porter|qovery|okteto|mup|shipit|dep|deployer|az-func|func|cloudflare|render|vela)$/,
);
/** Programs that try things out unless production is named. */
const PREVIEWING = /^(?:vercel|now|netlify|vc|ntl|eas)$/;
/** Programs that run scripts of the project by name. */
const SCRIPTS = /^(?:npm|pnpm|yarn|bun|make|just|task|rake|composer|mage|deno)$/;

/** What a command would deploy; undefined: it deploys nothing that others use. */
export function deployedBy({ program, arguments: given }: Step): string | undefined {
  const { has, values, operands } = optionsOf(given, {
    letters: "Ccf",
    names: ["filter", "prefix", "cwd", "env", "target"],
  });
  if (has("help", "dry-run", "dryrun", "noop", "local", "build-only") || given.includes("-h")) return undefined;
  const words = operands.join(" ");
  const shown = [program, ...operands.slice(0, 2)].join(" ");
  if (PREVIEWING.test(program)) {
    if (/^(?:env|logs?|ls|list|dev|link|pull|inspect|whoami|build|open|status)\b/.test(words)) return undefined;
    const isLive =
      has("prod", "production", "p") || values("target").includes("production") || /^promote\b/.test(words);
    return isLive ? `${shown} --prod` : undefined;
  }
  if (SCRIPTS.test(program))
    return /^(?:run |task )?(?:deploy|ship)(?::[\w:-]+|-[\w-]+)?(?: |$)/.test(words) ? shown : undefined;
  const row = Object.hasOwn(DEPLOYS(), program) ? DEPLOYS()[program] : undefined;
  const isDeploy =
    row?.test(words) ?? (DEPLOYERS().test(program) && /^(?:[\w-]+ )?(?:deploy|redeploy)(?: |$)/.test(words));
  return isDeploy ? shown : undefined;
}

/** The arguments of a command, with those that terraform takes from its environment. */
export function argumentsOf({ program, arguments: given, environment }: Step): readonly string[] {
  if (!/^(?:terraform|tofu|opentofu|terragrunt)$/.test(program)) return given;
  const more = [...environment].flatMap(([name, value]) => {
    const [, verb] = /^TF_CLI_ARGS(?:_(\w+))?$/.exec(name) ?? ["", ""];
    return verb === undefined || (verb !== "" && given.includes(verb)) ? value.split(/\s+/) : [];
  });
  return [...given, ...more];
}

const CLOUD_LIBRARY =
  /\bboto3\b|\baiobotocore\b|@?aws-sdk\b|\bgoogle\.cloud\b|@google-cloud\/|\bgoogleapiclient\b|\bazure\.(?:mgmt|storage|identity)\b|@azure\/|\bkubernetes\b|\bhcloud\b|\bpydo\b/;
/** One row and one message aren't infrastructure. */
const CLOUD_CALL =
  /\.(?:begin_)?(?:delete|terminate|destroy|purge|deregister|schedule_key_deletion)(?:_(?!item|message)\w+\(|\(\)|(?!Item|Message)[A-Z]\w*\()|\bnew (?:Delete|Terminate|Destroy|Deregister)(?!Item|Message)\w*Command\(/;

/** What code would remove with a cloud's library. */
export function destroyedInCode(step: Step): string | undefined {
  const { text = "" } = codeOf(step) ?? {};
  if (!CLOUD_LIBRARY.test(text) || /\bDryRun["']?\s*[=:]\s*[tT]rue/.test(text)) return undefined;
  return CLOUD_CALL.exec(text)?.[0].replace(/^\./, "").replace(/\($/, "");
}
