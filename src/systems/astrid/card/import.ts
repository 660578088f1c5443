import fs from "node:fs";
import path from "node:path";
import { CARD_LIMITS } from "../../../card/limits.ts";
import { Problem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import { readCarried } from "../../importing/carried-file.ts";
import { hookName } from "../../importing/hook-name.ts";
import type { DescribeCoverage, Difference, Imported, ImportedHook } from "../../importing/imported.ts";
import { workspaceHooks } from "../hook/paths.ts";
import { describeAstridFault } from "../read/describe-fault.ts";
import { discoverHooks, loadFolder } from "../read/discover.ts";
import { type LoadedAstridHook, type LoadedAstridHooks, readHookFile } from "../read/hook-file.ts";
import { type Hook, hookTitle } from "../words/hook.ts";
import { astridCapabilities, type CardLink, emitAstridPolicy, emitModule, emitReadme } from "./card-content.ts";
import { astridDifferences, chainDifferences, whyNotFromAstrid } from "./differences.ts";
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
