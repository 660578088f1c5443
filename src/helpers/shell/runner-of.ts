/** How a program runs another one: among a project's tools, in a container, on another machine. */
export interface Runner {
  /** The word before the command; absent: the command follows at once. */
  verb?: RegExp;
  /** Letters and long names of the options that take the next argument. */
  letters?: string;
  names?: readonly string[];
  /** Operands before the command: an image, a host. */
  skips?: number;
  /** All words of the command together are a text for a shell. */
  isText?: boolean;
  /** Options whose value is a text for a shell. */
  text?: RegExp;
}

export const CONTAINER: Runner = {
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
export const PACKAGES: Runner = {
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

/**
 * How a program finds what it runs; undefined: it isn't known to run anything. It isn't a table, since every call would
 * create a hundred rows and use two.
 */
export function runnerOf(program: string): Runner | undefined {
  switch (program) {
    case "npx":
    case "pnpx":
    case "bunx":
    case "uvx":
      return PACKAGES;
    case "npm":
      return { ...EXEC, verb: /^(?:exec|x)$/u };
    case "pnpm":
    case "yarn":
      return { ...EXEC, verb: /^(?:exec|dlx)$/u };
    case "bun":
      return { ...EXEC, verb: /^x$/u };
    case "bundle":
    case "rbenv":
    case "pyenv":
    case "nodenv":
    case "asdf":
    case "fnm":
    case "nvm":
    case "tox":
    case "lerna":
    case "turbo":
    case "rush":
    case "summon":
      return { verb: /^exec$/u };
    case "poetry":
    case "pipenv":
    case "pdm":
    case "hatch":
    case "rye":
    case "pixi":
    case "pipx":
    case "foreman":
    case "honcho":
    case "toolbox":
    case "infisical":
    case "teller":
      return { verb: /^run$/u, letters: "efp", names: ["spec", "env", "procfile"] };
    case "rustup":
      return { verb: /^run$/u, skips: 1 };
    case "volta":
    case "railway":
      return { verb: /^run$/u };
    case "aws-vault":
    case "chamber":
    case "direnv":
    case "multipass":
    case "lxc":
    case "incus":
      return { verb: /^exec$/u, skips: 1 };
    case "envchain":
    case "mosh":
    case "gosu":
    case "su-exec":
      return { skips: 1 };
    case "uv":
      return { ...EXEC, verb: /^run$/u };
    case "conda":
      return { verb: /^run$/u, letters: "np", names: ["name", "prefix"] };
    case "mise":
      return { verb: /^(?:exec|x)$/u };
    case "op":
      return { verb: /^run$/u, names: ["env-file"] };
    case "doppler":
      return { verb: /^run$/u, letters: "pc" };
    case "dotenv":
    case "dotenv-cli":
      return { letters: "e" };
    case "dotenvx":
      return { verb: /^run$/u, letters: "f" };
    case "busybox":
    case "toybox":
    case "cross-env":
    case "firejail":
    case "torsocks":
    case "valgrind":
    case "entr":
      return PLAIN;
    case "nix-shell":
      return { text: /^--(?:run|command)$/u, verb: /^never$/u };
    case "docker":
    case "podman":
    case "nerdctl":
    case "docker-compose":
    case "podman-compose":
      return CONTAINER;
    case "kubectl":
    case "oc":
      return { ...CONTAINER, letters: "nc", verb: /^exec$/u };
    case "ssh":
      return { letters: "bcDEeFIiJLlmOopQRSWw", skips: 1, isText: true };
    case "autossh":
      return { letters: "bcDEeFIiJLlmMOopQRSWw", skips: 1, isText: true };
    case "tsh":
      return { verb: /^ssh$/u, letters: "lp", skips: 1, isText: true };
    case "sshpass":
      return { letters: "pfde" };
    case "pssh":
      return { letters: "hHlptoeOx", isText: true };
    case "pdsh":
      return { letters: "wxlufgR", isText: true };
    case "ansible":
      return { text: /^(?:-a|--args)$/u, verb: /^never$/u };
    case "salt":
      return { verb: /^cmd\.(?:run|shell)$/u, isText: true };
    case "adb":
      return { verb: /^(?:shell|exec-out)$/u, isText: true };
    case "limactl":
      return { verb: /^shell$/u, skips: 1 };
    case "heroku":
      return { verb: /^run(?::\w+)?$/u, letters: "ar", isText: true };
    case "fly":
    case "flyctl":
      return { text: /^(?:-C|--command)$/u, verb: /^never$/u };
    case "concurrently":
      return { isText: true, letters: "npcsm" };
    case "nodemon":
      return { verb: /^never$/u, text: /^(?:-x|--exec)$/u };
    case "watchexec":
      return { letters: "ewisdo", names: ["exts", "watch", "ignore", "signal", "delay-run"] };
    case "retry":
      return { letters: "td" };
    case "xvfb-run":
      return { letters: "nsepfw" };
    case "vagrant":
      return { verb: /^never$/u, text: /^(?:-c|--command)$/u };
    case "gcloud":
      return { verb: /^never$/u, text: /^--command$/u };
    case "parallel":
      return { letters: "jIaNnL", names: ["jobs"], isText: true };
    case "tmux":
      return {
        verb: /^(?:new-session|new|new-window|neww|split-window|send-keys|send)$/u,
        letters: "stnxyceF",
        isText: true,
      };
    case "screen":
      return { letters: "STchset", text: /^stuff$/u };
    case "kitty":
    case "kitten":
      return { verb: /^(?:launch|send-text)$/u, letters: "m", names: ["match", "type", "cwd", "title"], isText: true };
    case "wezterm":
      return { verb: /^(?:start|spawn|split-pane|send-text)$/u, names: ["pane-id", "cwd", "window-id"], isText: true };
    case "zellij":
      return { verb: /^(?:run|new-pane|write-chars)$/u, letters: "dn", names: ["name", "cwd"], isText: true };
    case "systemd-run":
      return { letters: "pMHEu", names: ["unit", "property", "uid", "gid"] };
    case "unshare":
      return { letters: "" };
    case "nsenter":
      return { letters: "tSG", names: ["target"] };
    case "pkexec":
      return { names: ["user"] };
    case "run0":
      return { letters: "u", names: ["user"] };
    case "proxychains4":
      return { letters: "f" };
    case "hyperfine":
      return { letters: "wrmMpcnNS", isText: true };
    case "fd":
    case "fdfind":
      return { verb: /^(?:-x|-X|--exec|--exec-batch)$/u };
    case "wsl":
      return { letters: "due" };
    default:
      return undefined;
  }
}
