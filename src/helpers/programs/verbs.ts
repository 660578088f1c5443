import { oneOf } from "../pattern/one-of.ts";

/** Words that mean that something is gone afterwards, in names of commands, tools, operations. */
const DESTROYS = oneOf(
  "delete deletes destroy terminate purge undeploy teardown deprovision nuke uninstall drop rb wipe erase remove rm del truncate obliterate decommission prune",
);
/** These also mean to take one out of a list. */
const WEAK = oneOf("remove rm del drop uninstall");
/** Words that mean something else: after one of them, names follow. */
const OTHERS = oneOf(
  "list ls get describe show view create add new set update run log logs tail search find read cat open edit apply start status info history diff plan login logout whoami version init help explain validate lint test watch export pull fetch download upgrade copy cp sync import invoke query exec ssh connect send can is has on before after will undo restore recover cancel schedule check preview count mark soft config alias completion extension plugin plugins",
);
/** What many others rely on, or nobody has a copy of. */
const VALUED = oneOf(
  "project app application service volume database db cluster namespace instance server vm machine droplet bucket repo repository branch ref tag environment env deployment stack function account org organization organisation team workspace tenant domain zone dns queue topic index table collection schema backup snapshot site secret vault network subnet disk node pool registry container resource group release dataset warehouse keyspace stream site",
);
/** What is made and removed all day. */
const SMALL = oneOf(
  "comment reaction label review thread draft message subscription notification star assignee item row record entry todo task event cache log session note block card memory memories entity entities observation relation cookie line cell bookmark favorite attachment reminder filter widget element node page tab breakpoint",
);

/** Whose data it is, or who may log in. */
const PEOPLE = oneOf("user customer client account member employee patient tenant mailbox computer");

export type Worth = "valued" | "small" | "unknown";

/** What a name such as `volumeDelete`, `delete_project` or `rds-delete-db` removes; undefined: it removes nothing. */
export function removedByName(name: string): Worth | undefined {
  const parts = partsOf(name);
  if (OTHERS(parts[0] ?? "")) return undefined;
  return parts.some(DESTROYS) ? valueIn(parts) : undefined;
}

/**
 * What the words of a command line remove: a thing and a verb, or a verb and a thing. Names of things come after the
 * verb, so words that mean something else end the search.
 */
export function removedByWords(words: readonly string[]): Worth | undefined {
  for (const [at, word] of words.slice(0, 6).entries()) {
    if (/[/=\s$]/u.test(word)) break;
    const parts = partsOf(word);
    const first = parts[0] ?? "";
    if (OTHERS(first)) return undefined;
    if (DESTROYS(first) || DESTROYS(parts.at(-1) ?? ""))
      return valueIn(words.slice(0, at + 3).flatMap((one) => (/\..+\./u.test(one) ? [] : partsOf(one))));
  }
  return undefined;
}

/** Whether every verb of a name could as well mean to take one out of a list. */
export function isWeak(name: string): boolean {
  return !partsOf(name).some((part) => DESTROYS(part) && !WEAK(part));
}

/** Whether a name removes somebody, and not only from a list. */
export function removesPeople(name: string): boolean {
  const parts = partsOf(name.replace(/-(?:AD|Local)(?=[A-Z])/u, "-"));
  return parts.some(DESTROYS) && parts.some((part) => PEOPLE(part.replace(/s$/u, ""))) && !parts.includes("from");
}

function valueIn(parts: readonly string[]): Worth {
  const things = parts.map((part) =>
    /(?:ss|us|is)$/u.test(part) ? part : part.replace(/(?:ies)$/u, "y").replace(/s$/u, ""),
  );
  if (things.some(SMALL)) return "small";
  return things.some(VALUED) ? "valued" : "unknown";
}

/** What an address of a resource is about: `/v1/projects/42` a project. */
export function valueOfAddress(path: string): Worth {
  const parts = path
    .replace(/[?#].*$/u, "")
    .split("/")
    .filter((part) => /^[a-z][a-z_-]*$/iu.test(part));
  const values = parts.map((part) => valueIn(partsOf(part))).filter((value) => value !== "unknown");
  // A record of a zone is a name that others look up, and not one of many rows.
  const isName = parts.flatMap(partsOf).some((part) => oneOf("dns zone zones domain domains")(part));
  return isName ? "valued" : (values.at(-1) ?? "unknown");
}

function partsOf(name: string): string[] {
  return name
    .replace(/(?<=[a-z\d])(?=[A-Z])/gu, "_")
    .toLowerCase()
    .split(/[^a-z\d]+/u)
    .filter((part) => part !== "");
}
