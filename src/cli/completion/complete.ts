import type { Host } from "../../kernel/host.ts";
import { listSources, showSource } from "../../operations/author/inspect-source.ts";
import { listPublished } from "../../operations/author/show-card.ts";
import { listCalls } from "../../operations/diagnose/log.ts";
import { listKeys } from "../../operations/machine/keys.ts";
import { listRegistries } from "../../operations/machine/registry-settings.ts";
import { PREFERENCES } from "../../operations/preferences.ts";
import { listCards } from "../../operations/project/list.ts";
import { type CommandFacts, type FlagFacts, findCommand, headlineOf, type Names } from "../names/names.ts";

interface Offer {
  value: string;
  /** One line that says what it is; empty if the value says it. */
  about: string;
}

/** Values that a shell inserts as they are, without quotes. A person has to type any other. */
const PLAIN = /^[\w@%+:,./^~=-]+$/u;

/** What may replace the last of these words, which is unfinished or empty. */
export async function complete(
  host: Host,
  words: readonly string[],
  known: { commands: readonly CommandFacts[]; names: Names },
): Promise<Offer[]> {
  const begun = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const offers = await offersAfter(host, before, { ...known, begun });
  return offers.filter(({ value }) => value.startsWith(begun) && PLAIN.test(value));
}

interface Known {
  commands: readonly CommandFacts[];
  names: Names;
  begun: string;
}

async function offersAfter(host: Host, before: readonly string[], known: Known): Promise<Offer[]> {
  const { commands, names, begun } = known;
  const line = before[0] === "help" ? before.slice(1) : before;
  const found = findCommand(line, names);
  const command = commands.find(({ id }) => id === found?.id);
  const below = commandsBelow(line, commands);
  if (command === undefined || found === undefined) return below;
  const { flag, args, isEnded } = readLine(found.argv, command);
  const find = (name: string) => values(host, command, { name, args });
  if (flag !== undefined) return asOffers(flag.options ?? (await find(flag.name)));
  const [, name] = /^--([^=]+)=/u.exec(begun) ?? [];
  if (name !== undefined && !isEnded) {
    const options = command.flags[name]?.options ?? (await find(name));
    return asOffers(options.map((value) => `--${name}=${value}`));
  }
  if (begun.startsWith("-") && !isEnded) return Object.values(command.flags).flatMap(offerFlag);
  const arg = Object.values(command.args)[Math.min(args.length, Object.keys(command.args).length - 1)];
  const isWanted = arg !== undefined && (!command.strict || args.length < Object.keys(command.args).length);
  const offers = isWanted ? asOffers(arg.options ?? (await find(arg.name))) : [];
  return [...(args.length === 0 ? below : []), ...offers];
}

/** The next word of each command that begins with these words; whoever wants a hidden one knows it. */
function commandsBelow(words: readonly string[], commands: readonly CommandFacts[]): Offer[] {
  const offers = commands.flatMap((command): Offer[] => {
    const name = command.id.split(":");
    const isBelow = command.hidden !== true && words.every((word, at) => word === name[at]);
    const next = name[words.length];
    if (!isBelow || next === undefined) return [];
    const isLast = name.length === words.length + 1;
    return [{ value: next, about: isLast ? headlineOf(command) : "" }];
  });
  return [...new Map(offers.map((offer) => [offer.value, offer])).values()];
}

/** What the words after a command are: arguments, and a flag at the end whose value comes next. */
function readLine(
  argv: readonly string[],
  { flags }: CommandFacts,
): { flag: FlagFacts | undefined; args: string[]; isEnded: boolean } {
  const args: string[] = [];
  let flag: FlagFacts | undefined;
  let isEnded = false;
  for (const word of argv) {
    if (flag !== undefined) flag = undefined;
    else if (isEnded) args.push(word);
    else if (word === "--") isEnded = true;
    else if (word.startsWith("-")) {
      const found = Object.values(flags).find(({ name, char }) => word === `--${name}` || word === `-${char}`);
      flag = found?.type === "option" ? found : undefined;
    } else args.push(word);
  }
  return { flag, args, isEnded };
}

async function values(
  host: Host,
  { completes, args: facts }: CommandFacts,
  { name, args }: { name: string; args: readonly string[] },
): Promise<string[]> {
  const kind = completes[name] as Completes | undefined;
  if (kind === undefined) return [];
  const typed: Typed = Object.fromEntries(
    Object.keys(facts).flatMap((one, at) => {
      const word = args[at];
      return word === undefined ? [] : [[one, word]];
    }),
  );
  return valuesOf(kind, host, typed);
}

function asOffers(given: readonly string[]): Offer[] {
  return given.map((value) => ({ value, about: "" }));
}

function offerFlag({ name, description, allowNo }: FlagFacts): Offer[] {
  const [about = ""] = description.split("\n");
  return [`--${name}`, ...(allowNo ? [`--no-${name}`] : [])].map((value) => ({ value, about }));
}

/** The arguments typed so far, by name. */
type Typed = Readonly<Record<string, string>>;

/** More calls than anybody reads. */
const MOST_CALLS = 50;

/** The values of each kind on this machine. None of these functions uses a network. */
const VALUES: Readonly<Record<Completes, (host: Host, typed: Typed) => string[] | Promise<string[]>>> = {
  "card-or-call": (host) => [...installed(host), ...listCalls(host, {}, MOST_CALLS).map(({ id }) => id)],
  "hook-of-installed-card": (host, { name }) =>
    listCards(host).cards.flatMap((card) => (name === undefined || card.name === name ? card.hooks : [])),
  "hook-of-source": (host, { card = "" }) => showSource(host, card).hooks.map(({ name }) => name),
  "installed-card": installed,
  "part-of-source": (host, { kind, card = "" }) => {
    const { manifest, servers } = showSource(host, card);
    return kind === "skill" ? (manifest.skills?.include ?? []) : servers.map(({ name }) => name);
  },
  preference: () => Object.keys(PREFERENCES),
  "preference-value": (_, { key }) =>
    Object.entries(PREFERENCES)
      .find(([name]) => name === key)?.[1]
      .values.slice() ?? [],
  "published-card": async (host) => (await listPublished(host)).map(({ name }) => name),
  registry: (host) => listRegistries(host).map(({ name }) => name),
  scope: (host) => [
    ...listKeys(host).own.map(({ scope }) => scope),
    ...listKeys(host).scopes.map(({ scope }) => scope),
    ...listRegistries(host).flatMap(({ scopes }) => scopes),
  ],
  source: (host) => listSources(host).map(({ name }) => name),
};

function installed(host: Host): string[] {
  return listCards(host).cards.map(({ name }) => name);
}

/** Values of the kind; none if drwn cannot find them: nobody at a prompt wants an error. */
async function valuesOf(kind: Completes, host: Host, typed: Typed): Promise<string[]> {
  try {
    return [...new Set(await VALUES[kind](host, typed))];
  } catch {
    return [];
  }
}

/** What a shell can offer for the next word. */
export type Completes =
  | "card-or-call"
  | "hook-of-installed-card"
  | "hook-of-source"
  | "installed-card"
  | "part-of-source"
  | "preference"
  | "preference-value"
  | "published-card"
  | "registry"
  | "scope"
  | "source";

/** Each script asks `drwn completion --answer` what may follow, and offers file names if there is no answer. */
const BASH = `# drwn's completion for bash
_drwn() {
  local line="\${COMP_LINE:0:COMP_POINT}" word cut value
  local -a words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  word="\${words[\${#words[@]}-1]}"
  # bash replaces what is behind the last of its word breaks, \`@\` and \`=\` among them.
  cut="\${word%"\${word##*[$COMP_WORDBREAKS]}"}"
  COMPREPLY=()
  while read -r value _; do
    COMPREPLY+=("\${value#"$cut"}")
  done < <("$1" completion --answer -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _drwn drwn
`;

const ZSH = `#compdef drwn
# drwn's completion for zsh
_drwn() {
  local line
  local -a values shown
  while IFS= read -r line; do
    values+=("\${line%% *}")
    shown+=("\${line/ /  -- }")
  done < <("\${words[1]}" completion --answer -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#values} )); then
    compadd -l -d shown -- "\${values[@]}"
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _drwn ]]; then _drwn "$@"; else compdef _drwn drwn; fi
`;

const FISH = `# drwn's completion for fish
function __drwn_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l offers ($words[1] completion --answer -- $words[2..-1] 2>/dev/null)
    if test (count $offers) -gt 0
        string replace -- ' ' \\t $offers
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c drwn -f -a '(__drwn_complete)'
`;

export const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export const SHELLS: readonly string[] = Object.keys(SCRIPTS);
