import { OWN_VERBS } from "./own-verbs.ts";

/** Programs that run another one: in a project's tools, in a container, on another machine. */
interface Runner {
  /** The word behind which the command follows; absent: it follows at once. */
  verb?: RegExp;
  /** Letters and long names of the options that take the next argument. */
  letters?: string;
  names?: readonly string[];
  /** Operands before the command: an image, a host. */
  skips?: number;
  /** The command is one text for a shell, in all of its words. */
  isText?: boolean;
  /** Options whose value is a text for a shell. */
  text?: RegExp;
}

const CONTAINER: Runner = {
  verb: /^(?:exec|run)$/u,
  letters: "euwvplhmcaP",
  names: [
    ...["env", "env-file", "name", "network", "user", "workdir", "volume", "mount", "publish"],
    ...["platform", "entrypoint", "label", "memory", "cpus", "hostname", "add-host", "cap-add"],
    ...["cap-drop", "device", "gpus", "ipc", "pid", "restart", "shm-size", "ulimit", "file"],
    ...["project-name", "profile", "namespace", "container", "context", "image", "pull", "security-opt"],
    ...["tmpfs", "index"],
  ],
  skips: 1,
};
const PACKAGES: Runner = {
  letters: "p",
  names: ["package", "registry", "from", "with", "python"],
  text: /^(?:-c|--call)$/u,
};
const EXEC: Runner = {
  verb: /^(?:exec|dlx|x|run|--)$/u,
  letters: "pCw",
  names: ["package", "filter", "workspace", "project", "directory", "with", "python", "group"],
  text: /^-c$/u,
};
const PLAIN: Runner = {};

/** A table without a prototype: a program may be called `constructor`. */
const RUNNERS: ReadonlyMap<string, Runner> = new Map(
  Object.entries({
    npx: PACKAGES,
    pnpx: PACKAGES,
    bunx: PACKAGES,
    uvx: PACKAGES,
    npm: { ...EXEC, verb: /^(?:exec|x)$/u },
    pnpm: { ...EXEC, verb: /^(?:exec|dlx)$/u },
    yarn: { ...EXEC, verb: /^(?:exec|dlx)$/u },
    bun: { ...EXEC, verb: /^x$/u },
    bundle: { verb: /^exec$/u },
    ...Object.fromEntries(
      [
        "poetry",
        "pipenv",
        "pdm",
        "hatch",
        "rye",
        "pixi",
        "pipx",
        "foreman",
        "honcho",
        "toolbox",
        "infisical",
        "teller",
      ].map((name) => [name, { verb: /^run$/u, letters: "efp", names: ["spec", "env", "procfile"] }]),
    ),
    ...Object.fromEntries(
      ["rbenv", "pyenv", "nodenv", "asdf", "fnm", "nvm", "tox", "lerna", "turbo", "rush", "summon"].map((name) => [
        name,
        { verb: /^exec$/u },
      ]),
    ),
    rustup: { verb: /^run$/u, skips: 1 },
    volta: { verb: /^run$/u },
    "aws-vault": { verb: /^exec$/u, skips: 1 },
    chamber: { verb: /^exec$/u, skips: 1 },
    envchain: { skips: 1 },
    uv: { ...EXEC, verb: /^run$/u },
    conda: { verb: /^run$/u, letters: "np", names: ["name", "prefix"] },
    direnv: { verb: /^exec$/u, skips: 1 },
    mise: { verb: /^(?:exec|x)$/u },
    op: { verb: /^run$/u, names: ["env-file"] },
    doppler: { verb: /^run$/u, letters: "pc" },
    dotenv: { letters: "e" },
    "dotenv-cli": { letters: "e" },
    dotenvx: { verb: /^run$/u, letters: "f" },
    "cross-env": PLAIN,
    "nix-shell": { text: /^--(?:run|command)$/u, verb: /^never$/u },
    docker: CONTAINER,
    podman: CONTAINER,
    nerdctl: CONTAINER,
    "docker-compose": CONTAINER,
    "podman-compose": CONTAINER,
    kubectl: { ...CONTAINER, letters: "nc", verb: /^exec$/u },
    oc: { ...CONTAINER, letters: "nc", verb: /^exec$/u },
    ssh: { letters: "bcDEeFIiJLlmOopQRSWw", skips: 1, isText: true },
    mosh: { skips: 1 },
    autossh: { letters: "bcDEeFIiJLlmMOopQRSWw", skips: 1, isText: true },
    tsh: { verb: /^ssh$/u, letters: "lp", skips: 1, isText: true },
    sshpass: { letters: "pfde" },
    pssh: { letters: "hHlptoeOx", isText: true },
    pdsh: { letters: "wxlufgR", isText: true },
    ansible: { text: /^(?:-a|--args)$/u, verb: /^never$/u },
    salt: { verb: /^cmd\.(?:run|shell)$/u, isText: true },
    adb: { verb: /^(?:shell|exec-out)$/u, isText: true },
    multipass: { verb: /^exec$/u, skips: 1 },
    limactl: { verb: /^shell$/u, skips: 1 },
    lxc: { verb: /^exec$/u, skips: 1 },
    incus: { verb: /^exec$/u, skips: 1 },
    heroku: { verb: /^run(?::\w+)?$/u, letters: "ar", isText: true },
    fly: { text: /^(?:-C|--command)$/u, verb: /^never$/u },
    flyctl: { text: /^(?:-C|--command)$/u, verb: /^never$/u },
    railway: { verb: /^run$/u },
    concurrently: { isText: true, letters: "npcsm" },
    nodemon: { verb: /^never$/u, text: /^(?:-x|--exec)$/u },
    watchexec: { letters: "ewisdo", names: ["exts", "watch", "ignore", "signal", "delay-run"] },
    retry: { letters: "td" },
    "xvfb-run": { letters: "nsepfw" },
    vagrant: { verb: /^never$/u, text: /^(?:-c|--command)$/u },
    gcloud: { verb: /^never$/u, text: /^--command$/u },
    pwsh: { verb: /^never$/u, text: /^-(?:c|command)$/iu },
    powershell: { verb: /^never$/u, text: /^-(?:c|command)$/iu },
    parallel: { letters: "jIaNnL", names: ["jobs"], isText: true },
    tmux: {
      verb: /^(?:new-session|new|new-window|neww|split-window|send-keys|send)$/u,
      letters: "stnxyceF",
      isText: true,
    },
    screen: { letters: "STchset" },
    "systemd-run": { letters: "pMHEu", names: ["unit", "property", "uid", "gid"] },
    unshare: { letters: "" },
    nsenter: { letters: "tSG", names: ["target"] },
    pkexec: { names: ["user"] },
    run0: { letters: "u", names: ["user"] },
    gosu: { skips: 1 },
    "su-exec": { skips: 1 },
    firejail: PLAIN,
    torsocks: PLAIN,
    proxychains4: { letters: "f" },
    valgrind: PLAIN,
    hyperfine: { letters: "wrmMpcnNS", isText: true },
    entr: PLAIN,
    fd: { verb: /^(?:-x|-X|--exec|--exec-batch)$/u },
    fdfind: { verb: /^(?:-x|-X|--exec|--exec-batch)$/u },
    wsl: { letters: "due" },
    cmd: { verb: /^\/c$/iu, isText: true },
  }),
);

/** What such a program runs: the words of a command, or a text for a shell; undefined: it isn't one, or runs nothing that is written. */
export function runBy(program: string, given: readonly string[]): { words: string[] } | { text: string } | undefined {
  const runner = RUNNERS.get(program);
  if (runner === undefined) return undefined;
  const text = runner.text === undefined ? -1 : given.findIndex((word) => runner.text?.test(word));
  // Behind the name of a package stand the package's own options.
  const isOwn = runner !== PACKAGES || text < given.length - operandsFrom(given, runner).length;
  if (text >= 0 && isOwn) return { text: given[text + 1] ?? "" };
  const own = OWN_VERBS.get(program);
  if (own !== undefined) {
    const words = operandsFrom(given[0] === "run" ? given.slice(1) : given, runner);
    if (words.length > 0 && !own.test(words[0] ?? "")) return { words };
  }
  const { verb } = runner;
  const start = verb === undefined ? 0 : given.findIndex((word) => verb.test(word)) + 1;
  if (verb !== undefined && start === 0) return undefined;
  const rest = given.slice(start);
  const after = rest.indexOf("--");
  // Behind a program that is named already, `--` is one of its own words.
  const isNamed = runner === PACKAGES && after >= 0 && operandsFrom(rest.slice(0, after), runner).length > 0;
  const isMarked = after >= 0 && program !== "parallel" && !isNamed;
  const words = isMarked ? rest.slice(after + 1) : operandsFrom(rest, runner);
  if (words.length === 0) return undefined;
  // Behind `:::` stand what GNU parallel puts behind the command.
  return runner.isText === true ? { text: words.filter((word) => !/^:{3,4}\+?$/u.test(word)).join(" ") } : { words };
}

/** Whether a program that is known to run others runs one here. */
export function isRunner(program: string, given: readonly string[]): boolean {
  return RUNNERS.has(program) && runBy(program, given) !== undefined;
}

/** The program of an image that is named for it: `docker run hashicorp/terraform destroy`. Those of whole systems aren't. */
export function runByImage(program: string, given: readonly string[]): string[] | undefined {
  if (program === "nix" && given[0] === "run") {
    const name = given
      .find((word) => word.includes("#"))
      ?.split(/[#.]/u)
      .at(-1);
    const mark = given.indexOf("--");
    return name === undefined || mark < 0 ? undefined : [name, ...given.slice(mark + 1)];
  }
  const at = /^(?:docker|podman|nerdctl)$/u.test(program) ? given.indexOf("run") : -1;
  if (at < 0) return undefined;
  const [image = "", ...words] = operandsFrom(given.slice(at + 1), { ...CONTAINER, skips: 0 });
  const name = /^(?:.*\/)?([a-z][\w-]*?)(?:-cli)?(?::[\w.-]+|@sha256:\w+)?$/u.exec(image)?.[1];
  if (/^(?:alpine|ubuntu|debian|busybox|fedora|centos|rockylinux|archlinux|amazonlinux)$/u.test(name ?? ""))
    return undefined;
  return name === undefined || words.length === 0 ? undefined : [name, ...words];
}

function operandsFrom(given: readonly string[], { letters = "", names = [], skips = 0 }: Runner): string[] {
  let at = 0;
  let left = skips;
  for (; at < given.length; at++) {
    const word = given[at] ?? "";
    if (/^--./u.test(word)) {
      if (names.includes(word.slice(2))) at++;
    } else if (/^-./u.test(word)) {
      const valued = [...word.slice(1)].findIndex((letter) => letters.includes(letter));
      if (valued === word.length - 2) at++;
    } else if (left-- <= 0) break;
  }
  // An assignment, and a version behind a package's name, are no part of the program's.
  const words = given.slice(at);
  while (/^[A-Za-z_]\w*=/u.test(words[0] ?? "")) words.shift();
  const [first = "", ...others] = words;
  return words.length === 0 ? [] : [first.replace(/(?<=.)@[\w.^~-]+$/u, ""), ...others];
}
