import { linesOf } from "../programs/rows.ts";

/** How a program starts another one: with other rights, among a project's tools, in a container, on another machine. */
export interface Runner {
  /** The words before the command; none: the command follows at once. */
  verbs: readonly string[];
  /** Letters and long names of the options that take the next argument. */
  letters: string;
  names: readonly string[];
  /** Operands before the command: an image, a host. */
  skips: number;
  /** All words of the command together are a text for a shell. */
  isText: boolean;
  /** It runs the programs of packages: options behind a package's name are the package's own. */
  isOfPackages: boolean;
  /** Words before a text for a shell. */
  texts: readonly string[];
}

/**
 * `NAME, NAME | VERBS | OPTIONS | MARKS`, as in the table of programs. VERBS stand before the command; none: it follows at once. OPTIONS
 * take a value; with `!` it is a text for a shell. MARKS: the number of operands before the command;
 * `text`: all words together are a text for a shell; `packages`. It is a text, since a call uses two of its lines.
 */
const RUNNERS = `
-, builtin, busybox, toybox, chronic, nocorrect, noglob, nohup, setsid, unbuffer, eatmydata, fakeroot, prlimit, arch, systemd-inhibit, dbus-run-session, cross-env, firejail, torsocks, valgrind, entr, unshare
chroot, taskset, faketime, setarch, sg, repeat, envchain, mosh, gosu, su-exec | | | 1
ld.so | | --library-path --preload --argv0
caffeinate | | -tw
command, exec | | -a
doas | | -Cu
env | | -uC --unset --chdir
flock | | -wE | 1
ionice | | -cnpPu
nice | | -n --adjustment
ssh-agent | | -aEPt
stdbuf | | -ioe
strace | | -abeEIoOpPsSuX
ltrace | | -aeFlnopsuwxX
sudo | | -CDghpRrTtUu --user --group --host --prompt --chdir --chroot
time | | -fo --format --output
timeout, gtimeout | | -ks --kill-after --signal | 1
cpulimit | | -lpe
proot | | -rbqw
xargs | | -aEIJLnPRsSd --arg-file --delimiter --max-args --max-procs --max-lines
npx, pnpx, bunx, uvx | | -p --package --registry --from --with --python -c! --call! | packages
npm | exec x | -pCw --package --filter --workspace --project --directory --with --python --group -c!
pnpm, yarn | exec dlx | -pCw --package --filter --workspace --project --directory --with --python --group -c!
bun | x | -pCw --package --filter --workspace --project --directory --with --python --group -c!
uv | run | -pCw --package --filter --workspace --project --directory --with --python --group -c!
bundle, rbenv, pyenv, nodenv, asdf, fnm, nvm, tox, lerna, turbo, rush, summon | exec
poetry, pipenv, pdm, hatch, rye, pixi, pipx, foreman, honcho, toolbox, infisical, teller | run | -efp --spec --env --procfile
rustup | run | | 1
volta, railway | run
aws-vault, chamber, direnv, multipass, lxc, incus | exec | | 1
conda | run | -np --name --prefix
mise | exec x
op | run | --env-file
doppler | run | -pc
dotenv, dotenv-cli | | -e
dotenvx | run | -f
docker, podman, nerdctl, docker-compose, podman-compose | exec run | -euwvplhmcaP --env --env-file --name --network --user --workdir --volume --mount --publish --platform --entrypoint --label --memory --cpus --hostname --add-host --cap-add --cap-drop --device --gpus --ipc --pid --restart --shm-size --ulimit --file --project-name --profile --namespace --container --context --image --pull --security-opt --tmpfs --index | 1
kubectl, oc | exec | -nc --namespace --container --context --kubeconfig --user | 1
ssh, autossh | | -bcDEeFIiJLlmMOopQRSWw | 1 text
tsh | ssh | -lp | 1 text
sshpass | | -pfde
pssh | | -hHlptoeOx | text
pdsh | | -wxlufgR | text
salt | cmd.run cmd.shell | | text
adb | shell exec-out | | text
limactl | shell | | 1
heroku | run run:detached run:inside | -ar | text
concurrently | | -npcsm | text
watchexec | | -ewisdo --exts --watch --ignore --signal --delay-run
retry | | -td
xvfb-run | | -nsepfw
parallel | | -jIaNnL --jobs | text
tmux | new-session new new-window neww split-window send-keys send | -stnxyceF | text
screen | | -STchset stuff!
kitty, kitten | launch send-text | -m --match --type --cwd --title | text
wezterm | start spawn split-pane send-text | --pane-id --cwd --window-id | text
zellij | run new-pane write-chars | -dn --name --cwd | text
systemd-run | | -pMHEu --unit --property --uid --gid
nsenter | | -tSG --target
pkexec | | --user
run0 | | -u --user
proxychains4 | | -f
hyperfine | | -wrmMpcnNS | text
fd, fdfind | -x -X --exec --exec-batch
wsl | | -due
`;

const known = new Map<string, Runner>();
const lineOf = linesOf(RUNNERS);

/** How a program finds what it starts; undefined: it isn't known to start anything. */
export function runnerOf(program: string): Runner | undefined {
  const name = program.startsWith("ld") && /^ld(?:-[\w-]+)?\.so/u.test(program) ? "ld.so" : program;
  const before = known.get(name);
  const line = before === undefined ? lineOf(name) : undefined;
  if (line === undefined) return before;
  const runner = readRunner(line);
  known.set(name, runner);
  return runner;
}

function readRunner(line: string): Runner {
  const [, verbs = [], options = [], marks = []] = line
    .split("|")
    .map((column) => column.split(" ").filter((one) => one !== ""));
  const plain = options.filter((one) => !one.endsWith("!"));
  return {
    verbs,
    letters: plain.flatMap((one) => (one.startsWith("--") ? [] : one.slice(1))).join(""),
    names: plain.flatMap((one) => (one.startsWith("--") ? one.slice(2) : [])),
    texts: options.flatMap((one) => (one.endsWith("!") ? one.slice(0, -1) : [])),
    skips: Number(marks.find((one) => /^\d$/u.test(one)) ?? 0),
    isText: marks.includes("text"),
    isOfPackages: marks.includes("packages"),
  };
}
