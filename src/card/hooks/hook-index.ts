import { isDeepStrictEqual } from "node:util";
import { DEADLINES } from "../../contract/deadlines.ts";
import type { HookFacts } from "../../contract/ledger.ts";
import { CAPABILITIES } from "../../contract/plan.ts";
import { parseFormat } from "../../kernel/format/read.ts";
import { treeText, unique } from "../../kernel/format/schema.ts";
import * as z from "../../kernel/format/zod.ts";
import { compareOrdinal } from "../../kernel/order.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { EVENTS, OTHER_EVENT } from "../../policy/lifecycle-events.ts";
import { handlerFileOf } from "../compiler/handler-module.ts";
import { type CardFiles, pickFiles, treeDigest } from "../files.ts";
import { capabilitiesOf, declaredOptionsOf, hooksOf, type Manifest } from "../manifest.ts";
import { HOOK_NAME, HOOK_NAME_FORM } from "../name.ts";
import { declarationsSchema } from "../options.ts";

export const INDEX_FILE = "hooks/index.json";
export const INDEX_VERSION = 1;

/** What a hook's cases have shown, as the publisher claims; `drwn card test` can check it. */
export interface HookProof {
  cases: number;
  /** Cases that expect a deny or an ask, and cases that expect the call to go through. */
  refused: number;
  allowed: number;
  /** Calls that come to the same as those of the cases, and how many of them the hook answered alike. */
  mutants: { tried: number; held: number };
}

/** What the index says about one hook. */
export interface IndexedHook extends HookFacts {
  name: string;
  /** policy.ts and every file of the card that it imports, sorted. */
  files: string[];
  /** Tree digest of just these files. */
  digest: string;
  /** Absent: it has no cases, they weren't run, or nobody has published it. */
  proof?: HookProof;
}

/** `hooks/index.json`: the generated list of a card's hooks. It is data: reading and checking it runs nothing. */
export interface HookIndex {
  version: typeof INDEX_VERSION;
  /** In the order of the manifest. */
  hooks: IndexedHook[];
}

const proof = z.strictObject({
  cases: z.int().min(1),
  refused: z.int().min(0),
  allowed: z.int().min(0),
  mutants: z
    .strictObject({ tried: z.int().min(0), held: z.int().min(0) })
    .refine(({ tried, held }) => held <= tried, "no more of them than were tried"),
});

const canonical = z.enum(Object.keys(EVENTS) as (keyof typeof EVENTS)[]).exclude(["tool.before"]);

/** When a hook is asked, in every file that says so. */
export const phaseSchema = z.union([
  z.enum(["pre-tool", "post-tool"]),
  canonical,
  z.templateLiteral(["other.", z.string().regex(OTHER_EVENT)]),
]);

/** Schema of what an index, a lock and a grant say about one hook. */
export const hookFactsShape = {
  kind: z.enum(["enforcement", "observer"]),
  matcher: z.string().nullable(),
  phases: z.array(phaseSchema).refine(areOfOneHook, "before the call, after it, both in this order, or one event"),
  timeoutMs: z.int().min(1).max(DEADLINES.maximum),
  capabilities: z.array(z.enum(CAPABILITIES)),
  options: declarationsSchema.exactOptional(),
};

/** One hook, as an index or a registry's record describes it. */
export const indexedHookSchema = z.strictObject({
  name: z.string().regex(HOOK_NAME, { error: HOOK_NAME_FORM }),
  ...hookFactsShape,
  files: unique(z.array(z.string()).min(1)),
  digest: treeText,
  proof: proof.exactOptional(),
});

export const indexSchema = z.strictObject({ version: z.literal(INDEX_VERSION), hooks: z.array(indexedHookSchema) });

/** The index of these files, which must describe exactly them. Only a card without hooks may lack one. */
export function readHookIndex(files: CardFiles, manifest: Manifest): HookIndex {
  const index = parseIndex(files, manifest);
  const declared = hooksOf(manifest);
  const indexed = index.hooks.map(({ name }) => name);
  if (declared.join() !== indexed.join()) {
    throw stale(manifest, "its hooks are not those of card.json, in their order", {
      expected: declared.join(", ") || "none",
      received: indexed.join(", ") || "none",
    });
  }
  for (const hook of index.hooks) checkHook(hook, files, manifest);
  return index;
}

export function digestOfHook(files: CardFiles, paths: readonly string[]): string {
  return treeDigest(pickFiles(files, paths));
}

function parseIndex(files: CardFiles, manifest: Manifest): HookIndex {
  const bytes = files.get(INDEX_FILE);
  if (bytes !== undefined) return parseFormat(bytes, indexSchema, { file: INDEX_FILE });
  if (hooksOf(manifest).length === 0) return { version: INDEX_VERSION, hooks: [] };
  throw stale(manifest, "it is missing", { expected: INDEX_FILE, received: "nothing" });
}

function checkHook(hook: IndexedHook, files: CardFiles, manifest: Manifest): void {
  const capabilities = capabilitiesOf(manifest, hook.name);
  if (hook.capabilities.join() !== capabilities.join()) {
    throw stale(manifest, `the capabilities of \`${hook.name}\` are not those of card.json`, {
      expected: capabilities.join(", ") || "none",
      received: hook.capabilities.join(", ") || "none",
    });
  }
  const options = declaredOptionsOf(manifest, hook.name);
  if (!isDeepStrictEqual(hook.options, options)) {
    throw stale(manifest, `the options of \`${hook.name}\` are not those of card.json`, {
      expected: Object.keys(options ?? {}).join(", ") || "none",
      received: Object.keys(hook.options ?? {}).join(", ") || "none",
    });
  }
  const entries = [`hooks/${hook.name}/policy.ts`, handlerFileOf(hook.name)];
  const missing = hook.files.find((file) => !files.has(file));
  const isSorted = hook.files.every((file, at) => at === 0 || compareOrdinal(hook.files[at - 1] ?? "", file) < 0);
  if (missing !== undefined || !isSorted || !entries.some((entry) => hook.files.includes(entry))) {
    throw stale(manifest, `the files of \`${hook.name}\` are not in the card as listed`, {
      expected: "files of the card in order, hooks/<name>/policy.ts or handler.json among them",
      received: clean(missing ?? hook.files.join(", ")),
    });
  }
  const digest = digestOfHook(files, hook.files);
  if (digest !== hook.digest) {
    throw stale(manifest, `the files of \`${hook.name}\` have changed`, { expected: hook.digest, received: digest });
  }
}

function stale(
  manifest: Manifest,
  why: string,
  { expected, received }: { expected: string; received: string },
): Problem {
  return new Problem("DRWN_INDEX_STALE", `the index of ${manifest.name}@${manifest.version} is not its own: ${why}`, {
    details: [`expected: ${expected}`, `received: ${received}`],
    hint: `its author fixes it with: drwn card source doctor ${manifest.name}`,
  });
}

/** A hook is a tool policy or a lifecycle hook of one event: a review would not show all of a list that mixes them. */
function areOfOneHook(phases: readonly string[]): boolean {
  const [first, second] = phases;
  if (phases.length === 1) return true;
  return phases.length === 2 && first === "pre-tool" && second === "post-tool";
}

/** The first line of `hooks/<name>/README.md` that isn't empty, without its `#`; "" if there is none. */
export function summaryOf(hook: string, files: CardFiles): string {
  const lines = files.get(`hooks/${hook}/README.md`)?.toString("utf8").split("\n") ?? [];
  return lines.map((line) => line.replace(/^#+\s*/u, "").trim()).find((line) => line !== "") ?? "";
}
