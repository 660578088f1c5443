import fs from "node:fs";
import path from "node:path";
import { CARD_LIMITS } from "../../../card/files.ts";
import type { Capability } from "../../../contract/plan.ts";
import { Problem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import { eventNamed, NATIVE_TOOLS } from "../../../policy/dialect-names.ts";
import { powersOf } from "../../../policy/lifecycle-events.ts";
import { homesNamedIn } from "../../../wiring/launcher.ts";
import { filesNamedIn, noteOnNamedFile, readCarried } from "../../importing/carried-script.ts";
import { hookName, literal } from "../../importing/handler-hook.ts";
import {
  ASKS_DRWN,
  type DescribeCoverage,
  type Difference,
  type Imported,
  type ImportedHook,
} from "../../importing/imported.ts";
import { workspaceHooks } from "../hook/paths.ts";
import {
  describeAstridFault,
  discoverHooks,
  type LoadedAstridHook,
  type LoadedAstridHooks,
  loadFolder,
  readHookFile,
} from "../read/discover.ts";
import { MOST_SECONDS } from "../words/card-hook.ts";
import {
  type AstridEvent,
  compileAstridMatcher,
  DEFAULTS,
  type Hook,
  type HookHandler,
  hookTitle,
} from "../words/hook.ts";
import { profileHooks } from "./profiles.ts";

/**
 * Turns a workspace, a folder of hooks, one file or a profile into hooks of a card, in the order in which Astrid runs
 * them. It lists hooks that cannot be loaded, and doesn't import them. Throws a `Problem` if nothing loads.
 */
export function importAstrid(place: string, describeReach: DescribeCoverage): Imported {
  const { root, loaded, isProfile = false } = load(place);
  const faults = loaded.faults.filter(({ isNote }) => !isNote);
  if (loaded.hooks.length === 0 && !isProfile) throw nothingThere(place, faults.map(describeAstridFault));
  const { chains, left } = gather(loaded, { place, root });
  const taken = new Set<string>();
  const made = chains.map((chain) => makeHook(chain, { name: nameOf(chain, taken), describeReach }));
  const broken = faults.map((fault) => ({
    policy: path.relative(place, fault.file) || path.basename(fault.file),
    hook: null,
    line: fault.line,
    what: `it is not imported: ${describeAstridFault(fault)}`,
  }));
  const differences = [...made.flatMap((one) => one.differences), ...left, ...broken];
  return { hooks: made.map(({ hook }) => hook), differences };
}

interface From {
  place: string;
  root: string;
}

/**
 * Groups hooks by event, lower priorities first: the card asks those of one event as one hook. Leaves out what no card
 * can hold.
 */
function gather(loaded: LoadedAstridHooks, { place, root }: From): { chains: Carried[][]; left: Difference[] } {
  const left: Difference[] = [];
  const chains = new Map<string, Carried[]>();
  for (const found of [...loaded.hooks].sort((one, other) => one.hook.priority - other.hook.priority)) {
    const { hook, file, line } = found;
    const about = { policy: `${hookTitle(hook)} (${path.relative(place, file) || path.basename(file)})`, line };
    const refusal = whyNotFromAstrid(hook);
    const module = refusal === undefined ? moduleOf(hook, root) : { missing: refusal };
    if ("missing" in module) left.push({ ...about, hook: null, what: `it is not imported: ${module.missing}` });
    else chains.set(hook.event, [...(chains.get(hook.event) ?? []), { ...found, about, bytes: module.bytes }]);
  }
  return { chains: [...chains.values()], left };
}

function makeHook(
  chain: readonly Carried[],
  { name, describeReach }: { name: string; describeReach: DescribeCoverage },
): { hook: ImportedHook; differences: Difference[] } {
  const asked = chain.map(({ hook }) => hook);
  const links = linksOf(chain, name);
  const modules = links.flatMap(({ module }) => (module === null ? [] : [[module.file, emitModule(module)]]));
  const differences = chain.flatMap(({ hook, about }) =>
    [...astridDifferences(hook, describeReach), ...chainDifferences(asked)].map((what) => {
      return { ...about, hook: name, what };
    }),
  );
  const hook = {
    name,
    policy: emitAstridPolicy(links),
    readme: emitReadme(name, asked),
    capabilities: astridCapabilities(asked),
    ...(modules.length === 0 ? {} : { files: Object.fromEntries(modules) }),
  };
  return { hook, differences };
}

/** A hook that goes into the card. */
interface Carried extends LoadedAstridHook {
  about: Pick<Difference, "line" | "policy">;
  bytes: Buffer | null;
}

/** A single hook keeps its own name. Several on one event are asked as one, and have the event's name. */
function nameOf(chain: readonly Carried[], taken: Set<string>): string {
  const [first] = chain;
  if (first === undefined) throw new Error("a chain has a hook");
  const own = first.hook.name ?? path.basename(path.dirname(first.file));
  return hookName(chain.length === 1 ? own : first.hook.event, taken);
}

function linksOf(chain: readonly Carried[], name: string): CardLink[] {
  let modules = 0;
  return chain.map(({ hook, bytes }) => {
    const title = hook.name ?? (chain.length === 1 ? name : hook.id);
    if (bytes === null) return { title, hook, module: null };
    const number = ++modules;
    const isFirst = number === 1;
    const file = isFirst ? "module.ts" : `module-${number}.ts`;
    return { title, hook, module: { file, constant: isFirst ? "MODULE" : `MODULE_${number}`, bytes } };
  });
}

/** `profile:security` is a profile of Astrid's own. */
const PROFILE = "profile:";

interface Loaded {
  /** The workspace. */
  root: string;
  loaded: LoadedAstridHooks;
  isProfile?: boolean;
}

function load(place: string): Loaded {
  const name = path.basename(place);
  if (name.startsWith(PROFILE) && !fs.existsSync(place)) {
    const hooks = profileHooks(name.slice(PROFILE.length)).map((hook) => ({ hook, file: place, line: 1 }));
    return { root: path.dirname(place), loaded: { hooks, faults: [] }, isProfile: true };
  }
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return { root: rootOf(place), loaded: readHookFile(place, path.basename(place)) };
  if (path.basename(place) === ".astrid") return load(path.dirname(place));
  if (fs.existsSync(workspaceHooks(place))) return { root: place, loaded: discoverHooks({ root: place }) };
  return { root: rootOf(path.join(place, "HOOK.toml")), loaded: loadFolder(place) };
}

/** The workspace that a file belongs to: paths in the file are relative to it. */
function rootOf(file: string): string {
  const at = file.split(path.sep).lastIndexOf(".astrid");
  return at === -1 ? path.dirname(file) : file.split(path.sep).slice(0, at).join(path.sep) || path.sep;
}

const WASM = Buffer.from("\0asm");
/** In base64 and quotes, the module has to fit into a file of a card. */
const LARGEST_MODULE = Math.floor(CARD_LIMITS.fileBytes * 0.7);

/** The bytes of its module, which go into the card. */
function moduleOf({ handler }: Hook, root: string): { bytes: Buffer | null } | { missing: string } {
  if (handler.type !== "wasm") return { bytes: null };
  const file = path.resolve(root, handler.modulePath);
  const bytes = readCarried({ root, file }, { noun: "module", maximumBytes: LARGEST_MODULE });
  if ("why" in bytes) return { missing: bytes.why };
  if (!bytes.subarray(0, WASM.length).equals(WASM)) return { missing: `${clean(file)} isn't a WebAssembly module` };
  return { bytes };
}

function nothingThere(place: string, details: readonly string[]): Problem {
  const message = `${clean(place)} has no hook of Astrid that loads`;
  return new Problem("DRWN_POLICIES_UNREADABLE", message, { details: [...details] });
}

/** One hook of a chain, with its name in the card and the file that holds its module. */
interface CardLink {
  title: string;
  hook: Hook;
  module: ModuleFile | null;
}

interface ModuleFile {
  /** The name of the file, and of what it exports. */
  file: string;
  constant: string;
  bytes: Uint8Array;
}

/** The hooks of one event in TypeScript, as they are: whoever reviews the card sees what runs. */
function emitAstridPolicy(links: readonly CardLink[]): string {
  const imports = ["astridHook", ...new Set(links.map(({ hook }) => hook.handler.type))].sort();
  const modules = links.flatMap(({ module }) => (module === null ? [] : [module]));
  return [
    `import { ${imports.join(", ")} } from "darwinian-minds/hook-policy/astrid";`,
    ...modules.map(({ file, constant }) => `import { ${constant} } from "./${file}";`),
    "",
    ...(links.length === 1
      ? links.flatMap((link) => inCall(linesOf(link)))
      : ["export default astridHook(", ...links.flatMap((link) => inList(linesOf(link))), ");"]),
    "",
  ].join("\n");
}

function inCall(lines: readonly string[]): string[] {
  return ["export default astridHook({", ...lines.map((line) => `  ${line}`), "});"];
}

function inList(lines: readonly string[]): string[] {
  return ["  {", ...lines.map((line) => `    ${line}`), "  },"];
}

function linesOf({ title, hook, module }: CardLink): string[] {
  const { handler, matcher } = hook;
  return [
    `name: ${literal(title)},`,
    `event: ${literal(hook.event)},`,
    ...(matcher === null ? [] : [`matcher: ${object(matcher)},`]),
    `handler: ${handler.type}(${object(partsOf(handler), module?.constant)}),`,
    ...(hook.failAction === DEFAULTS.failAction ? [] : [`failAction: ${literal(hook.failAction)},`]),
    ...(hook.timeoutSecs === DEFAULTS.timeoutSecs ? [] : [`timeoutSecs: ${hook.timeoutSecs},`]),
  ];
}

function emitModule({ bytes, constant }: ModuleFile): string {
  const text = Buffer.from(bytes).toString("base64");
  const lines = text.match(/.{1,100}/gu) ?? [];
  return `/** The Extism module, in base64. */\nexport const ${constant} =\n${lines.map((line) => `  "${line}"`).join(" +\n") || '  ""'};\n`;
}

function emitReadme(name: string, hooks: readonly Hook[]): string {
  const titles = hooks.map((hook) => clean(hookTitle(hook), 80)).join(", ");
  const said = hooks.map((hook) => {
    const [about = ""] = (hook.description ?? "").split("\n");
    const rest = about === "" ? "" : ` ${clean(about, 200).replaceAll("`", "")}`;
    return `Imported from a file of Astrid's: asks ${handlerNameOf(hook.handler)} on ${hook.event}.${rest}\n`;
  });
  return `# ${name}: ${titles}\n\n${said.join("\n")}`;
}

function astridCapabilities(hooks: readonly Hook[]): Capability[] {
  const needed = hooks.flatMap(({ handler: { type } }): Capability[] =>
    type === "command" ? ["env", "exec"] : [type === "http" ? "net" : "wasm"],
  );
  return [...new Set(needed)].sort();
}

/** Marks a place for code, as opposed to text. */
const CODE = Symbol("code");

function partsOf(handler: HookHandler): Record<string, unknown> {
  if (handler.type === "command") {
    const { command, args, env, workingDir } = handler;
    return {
      command,
      ...(args.length === 0 ? {} : { args }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(workingDir === null ? {} : { workingDir }),
    };
  }
  if (handler.type === "wasm") {
    return { module: CODE, ...(handler.function === DEFAULTS.function ? {} : { function: handler.function }) };
  }
  const { url, method, headers, bodyTemplate } = handler;
  return {
    url,
    ...(method === DEFAULTS.method ? {} : { method }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(bodyTemplate === null ? {} : { bodyTemplate }),
  };
}

function object(fields: Readonly<Record<string, unknown>>, code = ""): string {
  const parts = Object.entries(fields).map(([key, value]) => `${key}: ${value === CODE ? code : literal(value)}`);
  return `{ ${parts.join(", ")} }`;
}

function handlerNameOf(handler: HookHandler): string {
  if (handler.type === "command") return `the program \`${clean(handler.command, 80).replaceAll("`", "")}\``;
  if (handler.type === "http") return `the server ${clean(new URL(handler.url).host, 80)}`;
  return "an Extism module";
}

const AFTER_CALL = ["post_tool_call", "tool_error"];

/** Why no card can hold this hook; undefined: a card can. */
function whyNotFromAstrid({ enabled, handler }: Hook): string | undefined {
  if (handler.type === "command" && handler.args.some((text) => homesNamedIn(text).length > 0)) {
    return ASKS_DRWN;
  }
  return enabled ? undefined : "it is not enabled";
}

/** How and where the hook in the card differs from Astrid's. */
function astridDifferences(hook: Hook, describeReach: DescribeCoverage): string[] {
  const { event } = hook;
  const canonical = eventNamed("astrid", event);
  return [
    describeReach(canonical, event === "pre_tool_call" || AFTER_CALL.includes(event)),
    ...ofMatching(hook),
    ...ofHandler(hook),
    ...ofAnswers(hook),
  ];
}

const NAMES =
  "Astrid's own names of tools in every agent; a server's tool goes by its own, and one that it has none for by the name that policies know";

function ofMatching({ event, matcher }: Hook): string[] {
  const isOfTool = powersOf(eventNamed("astrid", event)).subject === "tool";
  if (!isOfTool) {
    return matcher === null
      ? ["it reads what the agent at hand says of the event, under Astrid's names where it has some"]
      : ["its matcher is on a tool, and the event has none, so it never runs"];
  }
  if (matcher === null) return [`it reads ${NAMES}, with the arguments as the agent spells them`];
  const matches = compileAstridMatcher(matcher);
  const missed = Object.entries(NATIVE_TOOLS.astrid).filter(
    ([own, canonical]) => matches({ tool_name: canonical }) && !matches({ tool_name: own }),
  );
  return [
    `its matcher is compared with ${NAMES}`,
    ...missed.map(([own, canonical]) => `it does not find ${canonical} of other agents, which is \`${own}\` to Astrid`),
  ];
}

function ofHandler({ handler, timeoutSecs, failAction, event }: Hook): string[] {
  const said = timeoutSecs > MOST_SECONDS ? [`its handler is stopped after ${MOST_SECONDS} seconds`] : [];
  if (handler.type === "http") return said;
  if (handler.type === "wasm") {
    const isHeld = failAction !== "block" && event === "pre_tool_call";
    return [
      ...said,
      "its module is in the card",
      ...(isHeld ? [`one that does not end in time denies the call, although its fail_action is ${failAction}`] : []),
    ];
  }
  const files = [...(handler.command.includes("/") ? [handler.command] : []), ...filesNamedIn(handler.args.join(" "))];
  const outside = files.map(noteOnNamedFile);
  const folder =
    handler.workingDir === null ? [] : [`it runs in ${handler.workingDir}, which does not come with the card`];
  return [
    ...said,
    ...outside,
    ...folder,
    "in other agents its paths begin in the folder that the agent works in at the time",
  ];
}

function ofAnswers({ event, failAction, id, asyncMode }: Hook): string[] {
  const own = [
    `its id (${id}) is not kept`,
    "user_id is empty in agents other than Astrid",
    ...(asyncMode ? ["async_mode has no effect, not even in Astrid: the agent waits for it"] : []),
  ];
  if (AFTER_CALL.includes(event))
    return [...own, "what it answers has no effect: nothing can be rejected after the call"];
  if (event !== "pre_tool_call") return [...own, ...ofLifecycleEvent(event)];
  return [
    ...own,
    "of what it modifies, `arguments` replaces the tool's input, and blocks in agents that take no other input, as Astrid; nothing else has a place to go",
    "the default answer of a question is not shown",
    OF_ASKING,
    ...(failAction === "warn" ? ["its failure is noted in the journal, without what it printed"] : []),
  ];
}

const OF_ASKING =
  "a question of it holds nothing in agents that cannot ask then, unless the consent says so (--ask-fallback deny)";

/** What differs for hooks that are asked together. */
function chainDifferences(hooks: readonly Hook[]): string[] {
  const [first] = hooks;
  if (first === undefined || hooks.length === 1) return [];
  const seconds = hooks.reduce((sum, { timeoutSecs }) => sum + timeoutSecs, 0);
  return [
    `the ${hooks.length} hooks on ${first.event} are one hook of the card: they are asked in turn, and answer together`,
    ...(seconds > MOST_SECONDS ? [`together they are stopped after ${MOST_SECONDS} seconds`] : []),
  ];
}

function ofLifecycleEvent(event: AstridEvent): string[] {
  const { hold, injects, transforms } = powersOf(eventNamed("astrid", event));
  return [
    ...(hold === null
      ? ["it holds nothing: this event cannot be held"]
      : [`its block comes to \`${hold}\``, OF_ASKING]),
    ...(injects ? ["of what it modifies, `context` is text for the model"] : []),
    ...(transforms
      ? ["what it modifies takes the place of the fields of that name, in agents that take such changes"]
      : []),
  ];
}
