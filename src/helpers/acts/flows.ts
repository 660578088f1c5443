import type { ToolPolicyEvent } from "../../policy/event.ts";
import { oneOf } from "../pattern/one-of.ts";
import { optionsOf } from "../programs/options.ts";
import { UnreadableCommand } from "../shell/parse/scan.ts";
import { effects, stepsRead } from "./calls.ts";
import { callsIn, literalsIn } from "./code.ts";
import { opensFiles, variablesReadBy, variablesShownBy } from "./code-shows.ts";
import { bringsFromElsewhere, clones, decodes } from "./decoders.ts";
import { SUBSTITUTION } from "./edits.ts";
import { effectsOf, FINDERS, findersIn, nameOfClone } from "./effects.ts";
import { listedBy } from "./fed.ts";
import { type Code, codeOf, NODES } from "./interpreters.ts";
import { fetchedInto, fetches, sendsByTool, sentBy } from "./network.ts";
import { liesBelow, resolvePlace } from "./places.ts";
import { fileWordsIn, readsAll } from "./reads.ts";
import { runsOf } from "./runs.ts";
import { archiveOf, madeBy, outputOf, shownBy } from "./shows.ts";
import { readable, type Step } from "./steps.ts";
import { readersIn, substitutionsIn, variablesIn } from "./words.ts";

/** Where something comes from. */
export interface Source {
  /**
   * A file, a variable of the environment, another machine, what a command decodes, what a command prints by itself, or
   * a text that the call contains.
   */
  kind: "place" | "variable" | "network" | "decoded" | "output" | "text";
  /** The place as `resolvePlace` gives it, the name of the variable, the text, or the program. */
  name: string;
  /** As it is written. */
  written: string;
  /** Of a place: everything below it, whatever the names. */
  isDeep?: boolean;
  /** Of a variable: the file that the call has loaded before, which may have set it. */
  setBy?: string;
  /** The command that takes it, unless a tool for files does. */
  step: Step | undefined;
}

/** Something reaches something else. */
export interface Flow {
  from: Source;
  /** What the agent sees, another machine, a program that runs, or a file. */
  to: "conversation" | "network" | "code" | "place";
  /** The file, as `resolvePlace` gives it; otherwise empty. */
  place: string;
  /** The command that hands it over. */
  step: Step | undefined;
  /** The commands that it goes through, the first one first. */
  through: readonly Step[];
}

interface Held {
  from: Source;
  via: Trail | undefined;
}

/** The commands that something has gone through, the last one first. */
interface Trail {
  step: Step;
  before: Trail | undefined;
}

const MOST_MOVED = 100_000;
/** Programs that look for texts: their words aren't in what they print. */
const SEARCHERS = oneOf("grep egrep fgrep zgrep rg ag ack git find fd fdfind gitleaks trufflehog awk gawk");
const COPIES = oneOf("cp gcp mv gmv install ln ditto rsync scp");
/** Programs that hand on all that they read. */
const WHOLE = () => /^(?:|cat|base64|xxd|od|gzip|openssl|tr)$/u;
const CLIPBOARD = oneOf("pbcopy xclip xsel wl-copy clip");
const PASTING = () => /^(?:pbpaste|wl-paste|(?:xclip|xsel) .*-o)/u;
const SEES = oneOf("/dev/stdout /dev/stderr /dev/tty /dev/fd/1 /dev/fd/2");

let last: { of: readonly Step[]; flows: readonly Flow[] } | undefined;

/**
 * What reaches what in a call, also over files, variables, pipes and descriptors that the call itself fills.
 * @param kinds the sources that are wanted; absent: all. Most calls bring nothing from elsewhere, and aren't read any further.
 */
export function flows(event: ToolPolicyEvent, kinds?: readonly Source["kind"][]): Flow[] {
  if (kinds === undefined) return allFlows(event);
  const isElsewhere = kinds.every((kind) => kind === "network" || kind === "decoded");
  if (isElsewhere && event.toolName === "Bash" && !stepsRead(event).some(bringsFromElsewhere)) return [];
  return allFlows(event).filter(({ from }) => kinds.includes(from.kind));
}

function allFlows(event: ToolPolicyEvent): Flow[] {
  const all = stepsRead(event);
  if (all.length === 0) return flowsOfTool(event);
  if (last?.of !== all) last = { of: all, flows: new Graph(all).flows };
  return event.toolName === "Bash" ? [...last.flows] : [...last.flows, ...flowsOfTool(event)];
}

function flowsOfTool(event: ToolPolicyEvent): Flow[] {
  const isSending = sendsByTool(event.toolName);
  const all = effects(event).filter(({ step }) => step === undefined);
  const [source, target] = /(?:^|[_-])(?:move|copy|rename)(?![a-z])/iu.test(event.toolName) ? all : [];
  return all.flatMap((effect): Flow[] => {
    const { does, place, written, content } = effect;
    const from: Source = { kind: "place", name: place, written, step: undefined };
    const flow = { from, place: "", step: undefined, through: [] };
    if (isSending) return [{ ...flow, to: "network" }];
    if (effect === source && target !== undefined) return [{ ...flow, to: "place", place: target.place }];
    if (does === "reads") return [{ ...flow, to: "conversation" }];
    return does === "writes" && content !== undefined
      ? [{ ...flow, from: { ...from, kind: "text", name: content, written: "" }, to: "place", place }]
      : [];
  });
}

class Graph {
  readonly flows: Flow[] = [];
  readonly #places = new Map<string, readonly Held[]>();
  readonly #folders = new Map<string, readonly Held[]>();
  readonly #links = new Map<string, string>();
  #loaded: string | undefined;
  #isTraced = false;
  readonly #variables = new Map<string, readonly Held[]>();
  readonly #descriptors = new Map<string, readonly Held[]>();
  /** Where what is written to a descriptor goes. */
  readonly #ends = new Map<string, string>();
  readonly #printed = new Map<Step, readonly Held[]>();
  /** The commands in substitutions, by what they are and by their programs. */
  readonly #captured = new Map<string, Step>();
  readonly #sources = new Map<string, Source>();
  #moved = 0;
  readonly #consumed: ReadonlySet<Step>;

  constructor(all: readonly Step[]) {
    this.#consumed = new Set(all.flatMap(({ feeders }) => feeders));
    // The body of a here-document is read after the command that gets it.
    for (const step of all) if (step.isCaptured) for (const key of keysOf(step)) this.#captured.set(key, step);
    for (const step of all) this.#visit(step);
  }

  #visit(step: Step, handed?: readonly Held[]): void {
    const { program, arguments: given, folder } = step;
    if (program === "exec" && given.length === 0) this.#openDescriptors(step);
    this.#printed.set(step, []);
    const input = handed ?? this.#inputOf(step);
    const words = given.flatMap((word) => this.#inWord(word, step));
    const found = effectsOf(step);
    const handedOver = given.flatMap((word) => (/^(?:[\w-]+=)?<\(/u.test(word) ? this.#inWord(word, step) : []));
    const read = found.filter(({ does, written }) => does === "reads" && !/^(?:\$\(|`|<\()/u.test(written));
    const code = codeOf(step);
    const places = opensFiles(code, given) ? read : [];
    const files = places.flatMap(({ place, written, isDeep }) => this.#inPlace(place, written, step, isDeep));
    this.#assign(step, input);
    const own = this.#ownOf(step, code);
    if (PASTING().test([program, ...given].join(" "))) files.push(...(this.#places.get("$clipboard") ?? []));
    files.push(...handedOver, ...given.flatMap((word) => this.#namedIn(word, step)));
    const taken = this.#distinct([...input, ...files]);
    for (const one of this.#codeOf(step, input)) this.#note(one, "code", step);
    for (const one of this.#sentOf(step, input)) this.#note(one, "network", step);
    const shown = shownBy(step);
    const texts = this.#textsOf(step);
    const isText = !SEARCHERS(program) && !fetches(step);
    const printed = this.#distinct([
      ...(outputOf(step).every((word) => word === "" || word === "-" || SEES(word)) ? own : []),
      ...(shown.input ? input : []),
      ...(shown.files ? files : []),
      ...(shown.words ? words : []),
      ...(isText ? texts : []),
    ]).map((one) => through(one, step));
    this.#printed.set(step, printed);
    if (step.isCaptured) for (const key of keysOf(step)) this.#captured.set(key, step);
    const carried = this.#distinct([...own, ...taken, ...texts, ...words]).map((one) => through(one, step));
    const toRedirected = step.redirections.map(({ target }) => target);
    for (const { does, place, written } of found)
      if (does === "writes" && !toRedirected.includes(written))
        this.#put(place, carried, step, COPIES(program) ? read : [], written);
    for (const word of [...madeBy(step), ...fetchedInto(step)]) this.#put(resolvePlace(word, folder), carried, step);
    if (CLIPBOARD(program)) this.#keep("$clipboard", carried);
    this.#unpack(step, carried);
    const [from, to] = program === "ln" ? optionsOf(given).operands : [];
    if (from !== undefined && to !== undefined) this.#links.set(resolvePlace(to, folder), resolvePlace(from, folder));
    this.#print(step, printed);
    for (const word of given) this.#handTo(word, this.#distinct([...printed, ...input]), step);
  }

  #ownOf(step: Step, code: Code | undefined): Held[] {
    const source = (kind: Source["kind"]): Held => ({
      from: { kind, name: step.program, written: step.program, step },
      via: undefined,
    });
    const isPrinted = NODES(step.program) && step.arguments.some((word) => oneOf("-p -pe --print")(word));
    const variables = code === undefined ? [] : variablesShownBy(code, isPrinted);
    return [
      ...variables.map((name) => this.#variable(name, step)),
      source("output"),
      ...(fetches(step) || fetchedInto(step).length > 0 ? [source("network")] : []),
      ...(decodes(step) ? [source("decoded")] : []),
    ];
  }

  #inputOf(step: Step): Held[] {
    const redirected = step.redirections.filter(
      ({ operator, descriptor = "0" }) => operator.startsWith("<") && descriptor === "0",
    );
    if (redirected.length > 0)
      return redirected.flatMap(({ operator, target, body }) => {
        if (body !== undefined) return [this.#text(body, step), ...this.#inWord(body, step)];
        if (operator === "<<<") return [this.#text(target, step), ...this.#inWord(target, step)];
        if (operator === "<&") return [...(this.#descriptors.get(target) ?? [])];
        return target.startsWith("<(")
          ? this.#inWord(target, step)
          : this.#inPlace(resolvePlace(target, step.folder), target, step);
      });
    const nearest = step.feeders.filter((one) => !step.feeders.some(({ feeders }) => feeders.includes(one)));
    return this.#distinct(
      nearest.flatMap((feeder) => [
        ...(this.#printed.get(feeder) ?? []),
        ...(feeder.elsewhere === "machine" && step.elsewhere !== "machine" ? [this.#elsewhere(feeder)] : []),
      ]),
    );
  }

  #elsewhere(step: Step): Held {
    return through(
      { from: { kind: "network", name: step.program, written: step.program, step }, via: undefined },
      step,
    );
  }

  #inPlace(place: string, written: string, step: Step, isDeep = false): Held[] {
    const real = this.#links.get(place) ?? place;
    const descriptor = /^\/dev\/fd\/(\S+)$/u.exec(place)?.[1];
    const above = [...this.#folders].flatMap(([folder, held]) => (liesBelow(real, folder) ? held : []));
    return [
      this.#begin({ kind: "place", name: real, written, step, ...(isDeep ? { isDeep } : {}) }),
      ...(this.#places.get(real) ?? []),
      ...(this.#places.get(place) ?? []),
      ...above,
      ...(descriptor === undefined ? [] : (this.#descriptors.get(descriptor) ?? [])),
    ];
  }

  #inWord(word: string, step: Step): Held[] {
    if (!/[$`<]/u.test(word) || step.literals.includes(word)) return [];
    const inner = substitutionsIn(word);
    const plain = inner.reduce((rest, one) => rest.replace(one, ""), word);
    const named = variablesIn(plain).flatMap((name) => this.#variables.get(name) ?? [this.#variable(name, step)]);
    return this.#distinct([...named, ...inner.flatMap((one) => this.#printedIn(one, step))]);
  }

  /** What the commands of a substitution print, which have been read before it. */
  #printedIn(inner: string, step: Step): Held[] {
    const commands = readable(inner, step.folder);
    const ends = commands.filter((one) => !one.isCaptured && !commands.some(({ feeders }) => feeders.includes(one)));
    return ends.flatMap((one) => {
      const seen = keysOf(one)
        .map((key) => this.#captured.get(key))
        .find((found) => found !== undefined);
      // `$(echo ${x//a/b})` is how a changed variable is written.
      if (seen === undefined) return variablesIn(inner).flatMap((name) => this.#variables.get(name) ?? []);
      if (!this.#printed.has(seen)) this.#visit(seen);
      return [...(this.#printed.get(seen) ?? []), ...(seen.elsewhere === "machine" ? [this.#elsewhere(seen)] : [])];
    });
  }

  /** The files that `$(find …)` names, or a variable with its lines. */
  #namedIn(word: string, step: Step): Held[] {
    const named = variablesIn(word).flatMap((name) => this.#variables.get(name) ?? []);
    const printed = named.flatMap(({ from }) => (from.kind === "output" && from.step !== undefined ? [from.step] : []));
    const finders = [...findersIn(word, step.folder), ...printed.filter(({ program }) => FINDERS.test(program))];
    return finders.flatMap((one) =>
      listedBy(one).flatMap((name) =>
        this.#inPlace(resolvePlace(name, one.folder), name, step, readsAll({ ...step, starter: one }, name)),
      ),
    );
  }

  #assign(step: Step, input: readonly Held[]): void {
    const { program, arguments: given, environment, folder } = step;
    // `bash -x` and `set -x` show each assignment.
    if (oneOf("set sh bash dash zsh ksh")(program))
      this.#isTraced = given.some((word) => /^-\w*x|^xtrace$/u.test(word)) && !given.includes("+o");
    // `. .env`, `export $(cat .env)`, `eval "$(cat .env)"`
    const isLoading = oneOf("source . export eval")(program);
    for (const word of isLoading ? given : [])
      if (program === "source" || program === ".") {
        this.#loaded = resolvePlace(word, folder);
        if (this.#isTraced)
          for (const one of this.#inPlace(this.#loaded, word, step)) this.#note(one, "conversation", step);
      } else for (const { from } of this.#inWord(word, step)) if (from.kind === "place") this.#loaded = from.name;
    if (oneOf("read mapfile readarray")(program)) {
      const { operands, values } = optionsOf(given, { letters: program === "read" ? "adinNptu" : "dnOsuCc" });
      const handed = values("u").flatMap((one) => this.#descriptors.get(one) ?? []);
      const names = [...operands, ...values("a")];
      for (const name of names.length > 0 ? names : ["REPLY", "MAPFILE"])
        this.#variables.set(name, [...input, ...handed]);
    }
    const isSetting = oneOf("export declare typeset local readonly")(program);
    const set = isSetting
      ? given.map((word) => /^([A-Za-z_]\w*)=([\s\S]*)$/u.exec(word)?.slice(1) ?? [])
      : step.path === ""
        ? [...environment]
        : [];
    for (const [name, value = ""] of set)
      if (name !== undefined && value !== "")
        this.#variables.set(name, [
          ...this.#inWord(value, step),
          ...(/^[$`]/u.test(value) ? [] : [this.#text(value, step)]),
        ]);
  }

  #codeOf(step: Step, input: readonly Held[]): Held[] {
    const run = runsOf(step);
    const lines = step.starter?.program === "xargs" ? [] : run.words.flatMap((word) => this.#inWord(word, step));
    return this.#distinct([
      // `curl -o ~/bin/x …; x`
      ...[...this.#places].flatMap(([place, held]) => (place.endsWith(`bin/${step.path}`) ? held : [])),
      ...(run.input ? input : []),
      ...run.files.flatMap((word) =>
        /^[<$`]/u.test(word) ? this.#inWord(word, step) : this.#inPlace(resolvePlace(word, step.folder), word, step),
      ),
      // Nobody knows what `$(mktemp)` prints, but the call has filled it.
      ...[...run.files, ...run.words]
        .filter((word) => /^[$`]/u.test(word))
        .flatMap((word) => this.#inPlace(resolvePlace(word, step.folder), word, step).slice(1)),
      ...lines,
    ]);
  }

  #sentOf(step: Step, input: readonly Held[]): Held[] {
    const sent = sentBy(step);
    if (sent === undefined) return [];
    const words = sent.words.flatMap((word) => [
      ...this.#inWord(word, step),
      ...(sent.isText
        ? []
        : filesIn(word).flatMap((file) => this.#inPlace(resolvePlace(file, step.folder), file, step))),
    ]);
    // Somebody logs in with a token or a line of a file, and not with all of a key.
    const isWhole = ({ from, via }: Held) =>
      from.kind === "place" && !/token$/u.test(from.name) && stepsIn(via).every((one) => WHOLE().test(one.program));
    words.push(...(sent.logins ?? []).flatMap((word) => this.#inWord(word, step)).filter(isWhole));
    const code = codeOf(step);
    const literals =
      code === undefined ? [] : literalsIn(code).filter((one) => /^[\w./~-]+$/u.test(one) && one.length < 200);
    const read = literals.flatMap((one) => this.#inPlace(resolvePlace(one, step.folder), one, step));
    // A header is how code says who it is.
    if (code !== undefined && !/header|auth|bearer/iu.test(code.text))
      words.push(...variablesReadBy(code).map((name) => this.#variable(name, step)));
    return this.#distinct([...(sent.takesInput ? input : []), ...words, ...read]);
  }

  /** The texts that a command's words or code put into what it prints or writes. */
  #textsOf(step: Step): Held[] {
    const code = codeOf(step);
    if (code !== undefined) {
      // `replace("old", "new")` takes the old one out.
      const old = callsIn(code).flatMap(({ name, literals }) =>
        /(?:^|\.)(?:replace(?:All|_all)?|subn?|gsub!?)$/u.test(name) && literals.length > 1 ? literals.slice(0, 1) : [],
      );
      return literalsIn(code).flatMap((one) => (old.includes(one) ? [] : [this.#text(one, step)]));
    }
    if (/^g?sed$|^perl$/u.test(step.program))
      return step.arguments.map((word) => this.#text(word.replace(SUBSTITUTION(), " $3 "), step));
    return step.arguments.length === 0 ? [] : [this.#text(step.arguments.join(" "), step)];
  }

  #put(place: string, held: readonly Held[], step: Step, read: readonly { place: string }[] = [], written = ""): void {
    // A copy into a folder keeps its name.
    const inside = read.map(({ place: from }) => resolvePlace(from.split("/").at(-1) ?? "", place));
    const isHidden = read.some(({ place: from }) => /\/\.[^/]*$/u.test(from));
    const isFolder =
      inside.length > 0 &&
      (/\/$|^\.{1,2}$|^~$/u.test(written) ||
        inside.length > 1 ||
        // Nobody gives a name without a dot to a copy of `.env`.
        (isHidden && /^\$\{?\w+\}?$|^(?:\.\.\/)+[\w-]+$/u.test(written)));
    for (const to of isFolder ? inside : [place]) for (const one of held) this.#note(one, "place", step, to);
    for (const to of [place, ...inside]) this.#keep(to, held);
  }

  #keep(place: string, held: readonly Held[]): void {
    const known = held.filter(({ from }) => from.kind !== "text" || from.name.length > 8);
    this.#places.set(place, this.#distinct([...(this.#places.get(place) ?? []), ...known]));
  }

  #unpack(step: Step, carried: readonly Held[]): void {
    const { program, arguments: given, folder } = step;
    const isTar = oneOf("tar bsdtar")(program) && archiveOf(given) === undefined;
    const isClone = clones(step);
    if (!isTar && !isClone && !/^(?:unzip|7z\w*|cpio)$/u.test(program)) return;
    const { values, operands } = optionsOf(given, {
      letters: "bCdfo",
      names: ["branch", "depth", "directory", "origin"],
    });
    const at = operands.indexOf("clone");
    const [url, named] = at < 0 ? [] : operands.slice(at + 1);
    if (isClone && url === undefined) return;
    const into = isClone ? (named ?? nameOfClone(url ?? "")) : (values("C", "directory", "d")[0] ?? ".");
    const fetched = isClone ? [this.#elsewhere(step)] : carried.filter(({ from }) => from.kind === "network");
    if (fetched.length > 0) this.#folders.set(resolvePlace(into, folder), fetched);
  }

  #openDescriptors(step: Step): void {
    for (const { operator, target, descriptor = "" } of step.redirections) {
      const name = descriptor.startsWith("{") ? `$${descriptor.slice(1, -1)}` : descriptor;
      if (operator.includes(">")) this.#ends.set(name, target);
      if (!operator.startsWith("<")) continue;
      const held = /^\/dev\/(?:tcp|udp)\//u.test(target)
        ? [this.#elsewhere(step)]
        : target.startsWith("<(")
          ? this.#inWord(target, step)
          : this.#inPlace(resolvePlace(target, step.folder), target, step);
      this.#descriptors.set(name, held);
    }
  }

  #print(step: Step, printed: readonly Held[]): void {
    const outward = step.redirections.filter(
      ({ operator, descriptor = "1" }) =>
        (operator.includes(">") && descriptor === "1") || operator === "<>" || operator.startsWith("&>"),
    );
    if (outward.length === 0) {
      if (!step.isCaptured && !this.#consumed.has(step))
        for (const one of printed) this.#note(one, "conversation", step);
      return;
    }
    for (const { operator, target } of outward) {
      const end =
        operator === ">&" ? (oneOf("1 2")(target) ? "/dev/stdout" : (this.#ends.get(target) ?? target)) : target;
      if (/^\/dev\/(?:tcp|udp)\//u.test(end)) for (const one of printed) this.#note(one, "network", step);
      else if (end.startsWith(">(")) this.#handTo(end, printed, step);
      else if (SEES(end) && !this.#consumed.has(step) && !step.isCaptured)
        for (const one of printed) this.#note(one, "conversation", step);
      else if (!/^\/dev\/|^-$|^\d$/u.test(end)) this.#put(resolvePlace(end, step.folder), printed, step);
    }
  }

  /** `tee >(curl …)`: the commands in the parentheses read it. */
  #handTo(word: string, held: readonly Held[], step: Step): void {
    for (const inner of readersIn(word))
      for (const one of readable(inner, step.folder)) this.#visit(one, one.feeders.length === 0 ? held : undefined);
  }

  #note(held: Held, to: Flow["to"], step: Step, place = ""): void {
    this.#spend(1);
    const { via } = through(held, step);
    this.flows.push({
      ...{ from: held.from, to, place, step },
      get through() {
        return stepsIn(via);
      },
    });
  }

  /** The same thing once, by its first way. */
  #distinct(held: readonly Held[]): Held[] {
    this.#spend(held.length);
    const found = new Map<Source, Held>();
    for (const one of held) if (!found.has(one.from)) found.set(one.from, one);
    return [...found.values()];
  }

  #begin(source: Source): Held {
    const key = `${source.kind} ${source.name} ${source.isDeep ?? ""}`;
    const known = this.#sources.get(key) ?? source;
    this.#sources.set(key, known);
    return { from: known, via: undefined };
  }

  #variable(name: string, step: Step): Held {
    const by = this.#loaded === undefined ? {} : { setBy: this.#loaded };
    return this.#begin({ kind: "variable", name, written: `$${name}`, step, ...by });
  }

  #text(written: string, step: Step): Held {
    return this.#begin({ kind: "text", name: written, written, step });
  }

  #spend(moved: number): void {
    this.#moved += moved;
    if (this.#moved > MOST_MOVED) throw new UnreadableCommand("it moves too many things");
  }
}

function through({ from, via }: Held, step: Step): Held {
  return { from, via: via?.step === step ? via : { step, before: via } };
}

function stepsIn(via: Trail | undefined): Step[] {
  const found: Step[] = [];
  for (let one = via; one !== undefined; one = one.before) found.push(one.step);
  return found.reverse();
}

function keysOf({ path, program, arguments: given, redirections }: Step): string[] {
  return [`${path} ${given.join(" ")} ${redirections.map(({ target }) => target).join(" ")}`, program];
}

/** Every part of a word that may name a file: `@x`, `name=@x;type=y`, `x`. */
function filesIn(word: string): string[] {
  return word.length > 4_096 || /[\s`]|\$\(/u.test(word.trim()) ? [] : fileWordsIn(word);
}
