import { once } from "../pattern/once.ts";

/** An argument as it is written, and as words of a POSIX shell. */
export interface Given {
  source: string;
  words: readonly string[];
  /** The script in braces. */
  block?: string | undefined;
}

/** A word of exactly these letters. No other single quotes stand in a word. */
export function letters(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** Cmdlets by what they do, with their short names; after `=` what a POSIX shell writes in their place. */
const NAMES = once(() => {
  const lines = `remove-item ri rm rmdir del erase rd
get-childitem gci ls dir get-item gi
get-content gc cat type
set-content sc set-item si add-content ac out-file tee-object tee
copy-item copy cp cpi
move-item move mv mi rename-item rni ren
new-item ni mkdir md
where-object where ?
foreach-object foreach %
select-object select
write-output write echo write-host write-verbose write-warning write-error write-information
select-string sls
invoke-webrequest iwr invoke-restmethod irm start-bitstransfer
invoke-expression iex
invoke-command icm start-job sajb
start-process saps start
stop-process spps kill
get-process gps ps
expand-archive
invoke-sqlcmd
compress-archive
sort-object sort group-object out-string format-table ft format-list fl convertto-json convertfrom-json convertto-csv convertfrom-csv get-unique out-host out-default =cat
get-filehash =sha256sum @
out-null =cat > /dev/null
measure-object measure =wc -l
clear-content clc =truncate -s 0 @
set-location sl cd chdir push-location pushd =cd @
test-path resolve-path =ls -d @
stop-computer =shutdown -h now
restart-computer =reboot`;
  const named = lines.split("\n").flatMap((line) => {
    const [names = "", like] = line.split(" =");
    return names.split(" ").map((name) => [name, { kind: names.split(" ")[0] ?? "", like }] as const);
  });
  return new Map(named);
});
/** Options without a value. */
const SWITCHES = () =>
  /^-(?:r(?:ec\w*)?|fo(?:r\w*)?|rf|fr|v(?:erbose)?|wh\w*|conf\w*|pass\w*|usebas\w*|skip\w*|as\w+|nonew\w*|append|raw|wait|file|directory|hidden|name|noclobber|quiet|simple\w*|list|unique|desc\w*)$/iu;
const DRIVE = () => /^'?(env|hk\w+|registry|alias|variable|function|cert):/iu;

/** A word for a path: with slashes, and with patterns, which quotes don't make letters of. */
export function pathWord(word = ""): string {
  const slashed = word.replaceAll("\\", "/").replace(/^'~(?=[/'])/u, "~'");
  return slashed.replace(/'[^']*'/gu, (part) => part.replace(/[*?]/gu, "'$&'"));
}

/** A cmdlet's arguments: the values of options by the beginnings of their names, and the others in order. */
function readArguments(given: readonly Given[]) {
  const options: { name: string; value: Given | undefined }[] = [];
  const free: Given[] = [];
  for (let at = 0; at < given.length; at++) {
    const one = given[at] as Given;
    const [, name, joined] = /^-([a-z]\w*)(?::(.*))?$/isu.exec(one.source) ?? [];
    const isAlone = SWITCHES().test(one.source) || /^-[a-z]/iu.test(given[at + 1]?.source ?? "-a");
    if (name === undefined) free.push(one);
    else if (joined !== undefined) options.push({ name, value: { source: joined, words: [letters(joined)] } });
    else options.push({ name, value: isAlone ? undefined : given[++at] });
  }
  const found = (names: string) =>
    options.filter(({ name }) => names.split(" ").some((one) => one.startsWith(name.toLowerCase())));
  const all = [...free, ...options.flatMap(({ value }) => value ?? [])];
  return {
    free: free.flatMap(({ words }) => words),
    has: (names: string) => found(names).some(({ value }) => !/false$/iu.test(value?.source ?? "")),
    values: (names: string) => found(names).flatMap(({ value }) => value?.words ?? []),
    blocks: all.flatMap(({ block }) => block ?? []),
  };
}

/**
 * A command as a POSIX shell writes it.
 * @param word the name as a word
 * @param before what the pipe has before it
 */
export function posixCommandOf(
  word: string,
  given: readonly Given[],
  before: readonly string[],
  read: (text: string) => string | undefined,
): string {
  const name = /^'[^']*'$/u.test(word) ? word.slice(1, -1).toLowerCase() : word;
  const known = NAMES().get(name);
  const isNative = known === undefined || (!name.includes("-") && given.some(({ source }) => source.startsWith("--")));
  const joined = (...words: readonly (string | false | undefined)[]) => words.filter(Boolean).join(" ");
  if (isNative)
    return joined(word, ...given.flatMap(({ words, block }) => (block === undefined ? words : [letters(block)])));
  const { free, has, values, blocks } = readArguments(given);
  if (has("whatif")) return ":";
  const named = values("path literalpath filepath pspath");
  const places = [...named, ...free].map(pathWord);
  const [first = ""] = places;
  const last = before.at(-1);
  const each = (program: string) => (last !== undefined && first === "" ? `xargs ${program}` : program);
  const drive = DRIVE().exec(first)?.[1]?.toLowerCase();
  const variable = first.replace(/^'?\w+:[\\/]?|'$/gu, "");
  const source = given.map((one) => one.source).join(" ");
  if (known.like?.endsWith("0 @") === true && drive === undefined)
    return joined(each(known.like.slice(0, -2)), ...places);
  if (known.like !== undefined) return known.like.replace("@", () => (drive === undefined ? places.join(" ") : ""));
  switch (known.kind) {
    case "remove-item":
      if (drive === "env") return `unset ${variable}`;
      if (drive !== undefined) return joined("reg delete", ...places, "/f");
      return joined(each("rm"), has("recurse rf fr") && "-r", has("force") && "-f", ...places);
    case "get-childitem":
    case "get-content": {
      if (drive === "env") return joined("printenv", variable.replace(/^\W*$/u, ""));
      if (known.kind === "get-content")
        return joined(each("cat"), ...(named.length > 0 ? named.map(pathWord) : places.slice(0, 1)));
      const picked = values("filter include").flatMap((one) => ["-name", one]);
      return drive === undefined ? joined("find", ...places, !has("recurse s") && "-maxdepth 1", ...picked) : ":";
    }
    case "set-content": {
      const texts = [
        ...values("value inputobject"),
        ...(last === undefined ? free.slice(named.length > 0 ? 0 : 1) : []),
      ];
      if (drive === "env" && !/^\w+$/u.test(variable)) return ":";
      if (drive === "env") return `export ${variable}=${texts.join("") || "''"}`;
      if (name.startsWith("tee")) return `tee ${first}`;
      if (last !== undefined && first === "") return "xargs truncate -s 0";
      return joined(
        texts.length > 0 ? "echo" : "cat",
        ...texts,
        has("append") || name.startsWith("a") ? ">>" : ">",
        first,
      );
    }
    case "copy-item":
    case "move-item": {
      const program = known.kind === "move-item" ? "mv" : "cp -r";
      const to = values("destination newname").map(pathWord);
      return last !== undefined && first === ""
        ? joined("xargs -I{}", program, "{}", ...to)
        : joined(program, ...places, ...to);
    }
    case "new-item": {
      const kind = /^m/u.test(name) ? "dir" : values("itemtype type").join("");
      if (/link|junction/iu.test(kind)) return joined("ln -s", ...values("target value").map(pathWord), first);
      const made = joined(...places, ...values("name").map(pathWord)).replace(" ", "/");
      return /^'?dir/iu.test(kind) ? `mkdir -p ${made}` : joined("echo", ...values("value"), ">", made);
    }
    case "where-object": {
      const [, text, plain] = /["']([^"']+)["']|-\w*(?:match|like|eq)\s+(\w+)/iu.exec(source) ?? [];
      const runs = blocks.filter((block) => /^(?!echo |:$|$)/mu.test(block)).map((block) => `${block}\n`);
      const isNegated = /-(?:[ic]?not|[ic]?ne\b)|!/iu.test(source);
      const test = joined("grep", isNegated && "-v", "-e", letters((text ?? plain ?? ".").replaceAll("*", ".*")));
      return runs.length === 0 ? test : `{\n${runs.join("")}${test}\n}`;
    }
    case "foreach-object":
    case "select-object": {
      const isNames = /^\W*(?:-\w+\s+)?["']?(?:name|key)["']?\W*$/iu.test(source);
      if (last?.startsWith("printenv") === true && isNames) return "cut -d= -f1";
      const [count] = values("first");
      if (/^'?delete'?$/iu.test(free[0] ?? "")) return "xargs rm -rf";
      if (blocks.length === 0) return count === undefined ? "cat" : `head -n ${count}`;
      return last === undefined ? blocks.join("\n") : `while read -r it; do\n${blocks.join("\n")}\ndone`;
    }
    case "write-output":
      if (last !== undefined && free.length === 0) return "cat";
      return joined("echo", ...values("object inputobject message"), ...free);
    case "select-string": {
      const [pattern = free[0]] = values("pattern");
      const files = free[0] === pattern ? places.filter((_, at) => at !== named.length) : places;
      return joined(
        last?.startsWith("find") === true && "xargs",
        "grep",
        has("quiet") && "-q",
        has("list") && "-l",
        "-e",
        pattern,
        ...files,
      );
    }
    case "invoke-webrequest": {
      const options = {
        "-o": "outfile destination",
        "-X": "method",
        "-H": "headers",
        "-d": "body form",
        "-T": "infile",
      };
      const set = Object.entries(options).flatMap(([option, names]) =>
        values(names).map((one) => `${option} ${/[oT]/u.test(option) ? pathWord(one) : one}`),
      );
      const input = last !== undefined && free.length + values("uri").length > 0 && !has("body infile");
      return joined(
        "curl",
        ...values("uri source"),
        ...free,
        ...set,
        has("skipcertificatecheck") && "-k",
        input && "-d @-",
      );
    }
    case "invoke-expression": {
      const [text = values("command")[0]] = free;
      if (text === undefined) return "sh";
      const inner = /^'[^']*'$/u.test(text) ? read(text.slice(1, -1)) : undefined;
      return inner === undefined ? `eval ${text}` : `{\n${inner || ":"}\n}`;
    }
    case "invoke-command": {
      const body = [...blocks, ...values("filepath").map((file) => `. ${pathWord(file)}`)].join("\n") || ":";
      const [host] = values("computername hostname cn");
      return host === undefined ? `{\n${body}\n}` : `ssh ${host} ${letters(body)}`;
    }
    case "start-process": {
      const words = [...free.slice(named.length > 0 ? 0 : 1), ...values("argumentlist args")];
      const [only = ""] = words.length === 1 ? words : [];
      const split = / /u.test(only) && /^'[^']*'$/u.test(only) ? only.slice(1, -1).split(/\s+/u).map(letters) : words;
      return joined(/runas/iu.test(source) && "sudo", named[0] ?? free[0], ...split);
    }
    case "stop-process":
      if (last !== undefined) return "xargs kill -9";
      return has("name processname")
        ? joined("pkill", ...values("name processname"), ...free)
        : joined("kill -9", ...values("id"), ...free);
    case "get-process":
      return free.length + values("name").length === 0 ? "ps -e" : joined("pgrep", ...values("name"), ...free);
    case "invoke-sqlcmd":
      return joined(
        "sqlcmd",
        ...values("query").map((text) => `-Q ${text}`),
        ...values("serverinstance").map((one) => `-S ${one}`),
      );
    case "expand-archive":
      return joined("unzip", first, "-d", pathWord(values("destinationpath")[0] ?? places[1] ?? "."));
    default:
      return joined("zip -r", pathWord(values("destinationpath")[0] ?? places[1] ?? "x.zip"), first);
  }
}

type Member = (given: readonly string[], of: readonly string[]) => { word?: string; run?: string };
const fetched: Member = ([address = ""]) => ({ word: `"$(curl ${address})"` });
const fileRead: Member = ([file]) => ({ word: `"$(cat ${pathWord(file)})"` });
const answer: Member = () => ({});

/** What members of .NET's types do that reaches files, the network, the environment or code: the word that they give, and what they run. */
export const MEMBERS = once(
  (): Readonly<Record<string, Member>> => ({
    ...{ downloadstring: fetched, downloaddata: fetched, getstringasync: fetched },
    ...{ readalltext: fileRead, readalllines: fileRead, readallbytes: fileRead },
    ...{ length: answer, count: answer, exists: answer, contains: answer, startswith: answer },
    downloadfile: ([address = "", file]) => ({ run: `curl ${address} -o ${pathWord(file)}` }),
    uploadstring: ([address = "", ...text]) => ({ run: `curl ${address} -d ${text.at(-1) ?? "''"}` }),
    uploadfile: ([address = "", ...file]) => ({ run: `curl ${address} -T ${pathWord(file.at(-1))}` }),
    opentext: (_, of) => ({ word: `"$(cat ${of.join(" ")})"` }),
    openread: (_, of) => ({ word: `"$(cat ${of.join(" ")})"` }),
    getenvironmentvariable: ([name = ""]) => ({ word: `"$(printenv ${name})"` }),
    getenvironmentvariables: () => ({ word: '"$(printenv)"' }),
    writealltext: ([file, ...text]) => ({ run: `echo ${text.join(" ")} > ${pathWord(file)}` }),
    appendalltext: ([file, ...text]) => ({ run: `echo ${text.join(" ")} >> ${pathWord(file)}` }),
    name: (_, of) => ({ word: of.join(" ").replace(/^"\$\(printenv\)"$/u, '"$(printenv | cut -d= -f1)"') }),
    delete: ([file], of) => ({
      run: `rm -rf ${[file, ...of]
        .flatMap((one) => one ?? [])
        .map(pathWord)
        .join(" ")}`,
    }),
    frombase64string: ([text = ""]) => ({ word: `"$(printf %s ${text} | base64 -d)"` }),
    invoke: (_, of) => ({ run: `eval ${of.join(" ") || ":"}` }),
  }),
);

/** Variables of Windows that name known folders. */
const FOLDERS: Readonly<Record<string, string>> = {
  userprofile: "$HOME",
  home: "$HOME",
  homepath: "$HOME",
  appdata: "$HOME/AppData/Roaming",
  localappdata: "$HOME/AppData/Local",
  systemdrive: "C:",
  systemroot: "C:/Windows",
  windir: "C:/Windows",
  programfiles: "C:/Program Files",
};

/** A variable of the environment, as a POSIX shell writes it. */
export function variableNamed(name: string): string {
  const folder = Object.hasOwn(FOLDERS, name.toLowerCase()) ? FOLDERS[name.toLowerCase()] : undefined;
  return `"${folder ?? `$${name}`}"`;
}
