import type { OptionDeclarations } from "../contract/ledger.ts";
import { CAPABILITIES, type Capability } from "../contract/plan.ts";
import { formatJson } from "../kernel/format/json.ts";
import { parseFormat } from "../kernel/format/read.ts";
import { lineText, unique } from "../kernel/format/schema.ts";
import * as z from "../kernel/format/zod.ts";
import { sortedBy } from "../kernel/order.ts";
import {
  CARD_NAME,
  CARD_NAME_FORM,
  HOOK_NAME,
  HOOK_NAME_FORM,
  isCardName,
  SERVER_NAME,
  SERVER_NAME_FORM,
} from "./name.ts";
import { declarationsSchema } from "./options.ts";
import { serverSchema } from "./server.ts";
import { isVersion } from "./version.ts";

export const MANIFEST_FILE = "card.json";

const version = z
  .string()
  .max(256)
  .refine(isVersion, { error: "strict semver without build metadata, like 1.0.0" })
  .describe("Strict semver without build metadata.");
const partName = z.string().regex(HOOK_NAME, { error: HOOK_NAME_FORM });
const serverName = z.string().regex(SERVER_NAME, { error: SERVER_NAME_FORM });
const names = unique(z.array(partName).max(500));
const webAddress = z.url({ protocol: /^https?$/u, error: "an http(s) URL" }).max(2_000);

const person = z.strictObject({ name: lineText(200), email: lineText(200).optional(), url: webAddress.optional() });
const repository = z.strictObject({
  type: lineText(40).optional(),
  url: lineText(2_000),
  directory: lineText(400).optional(),
});

const hooks = z
  .strictObject({
    include: names.optional().describe("Names of folders below hooks/, in the order in which their policies run."),
    capabilities: z
      .record(partName, unique(z.array(z.enum(CAPABILITIES))))
      .optional()
      .describe("What the policies may reach beyond the tool call, by hook name. Nothing, unless it is listed."),
    options: z
      .record(partName, declarationsSchema)
      .optional()
      .describe("What a person can set for the policies, by hook name and option name."),
    restrictOnly: z.boolean().optional().describe("This card can only say no."),
  })
  .check(({ value, issues }) => {
    for (const about of ["capabilities", "options"] as const) {
      for (const [hook, listed] of Object.entries(value[about] ?? {})) {
        if (value.include?.includes(hook)) continue;
        issues.push({
          code: "custom",
          input: listed,
          path: [about, hook],
          message: "absent: the hook is not in `hooks.include`",
        });
      }
    }
  });

export const manifestSchema = z.strictObject({
  $schema: lineText(2_000).optional(),
  name: z.string().regex(CARD_NAME, { error: CARD_NAME_FORM }).refine(isCardName, { error: CARD_NAME_FORM }),
  version,
  description: lineText(1_000).optional(),
  license: lineText(200).optional(),
  keywords: z.array(lineText(100)).max(100).optional(),
  repository: z.union([lineText(2_000), repository]).optional(),
  author: z.union([lineText(400), person]).optional(),
  harness: z
    .strictObject({ minVersion: version.describe("The lowest version of drwn that can use this card.") })
    .optional(),
  skills: z.strictObject({ include: names.optional().describe("Names of folders below skills/.") }).optional(),
  servers: z.record(serverName, serverSchema).optional().describe("MCP servers by name."),
  hooks: hooks.optional(),
  stability: z.enum(["experimental", "stable", "production"]).optional(),
});

/** `card.json`: what a card says about itself. */
export type Manifest = z.output<typeof manifestSchema>;

/**
 * Refuses anything that the schema doesn't know, apart from the fields of other tools' cards. `file`: what messages call
 * the manifest.
 */
export function parseManifest(content: Uint8Array | string, { file }: { file: string }): Manifest {
  return parseFormat(content, readSchema, { file });
}

/** The fields that drwn keeps in the card and doesn't use, each by its path: `skills.upstream`. */
export function unusedFieldsOf(content: Uint8Array | string, { file }: { file: string }): string[] {
  const unused: string[] = [];
  dropUnused(parseFormat(content, z.unknown(), { file }), unused);
  return unused;
}

/**
 * What the cards of another tool of the same name have beside ours (`darwinian` 1.2.0): they
 * are published and installed as they are.
 */
const UNUSED: readonly string[] = [
  ...["beliefs", "bundles", "composedFrom", "contextMounts", "evals", "extensions", "identity", "instructions", "kind"],
  ...["lastValidatedWith", "memory", "persona", "targets", "testStatusBadge", "tools"],
];
const UNUSED_OF_SERVERS: readonly string[] = ["description", "optional", "transport"];

function dropUnused(manifest: unknown, unused: string[] = []): unknown {
  if (!isFields(manifest)) return manifest;
  const { skills, servers, ...kept } = without(manifest, UNUSED, "", unused);
  return {
    ...kept,
    ...(skills === undefined
      ? {}
      : { skills: isFields(skills) ? without(skills, ["upstream"], "skills.", unused) : skills }),
    ...(servers === undefined ? {} : { servers: isFields(servers) ? dropFromServers(servers, unused) : servers }),
  };
}

function dropFromServers(servers: Fields, unused: string[]): Fields {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      if (!isFields(server)) return [name, server];
      const { transport } = server;
      const type =
        server["type"] === undefined && typeof transport === "string" ? TRANSPORTS.get(transport) : undefined;
      const fields = type === undefined ? UNUSED_OF_SERVERS : UNUSED_OF_SERVERS.filter((one) => one !== "transport");
      const { transport: _, ...kept } = without(server, fields, `servers.${name}.`, unused);
      return [name, type === undefined ? kept : { type, ...kept }];
    }),
  );
}

/** What our `type` is called there. */
const TRANSPORTS = new Map([
  ["http", "http"],
  ["streamable-http", "http"],
  ["sse", "sse"],
  ["stdio", "stdio"],
]);

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function without(value: Fields, names: readonly string[], prefix: string, unused: string[]): Fields {
  const dropped = Object.keys(value).filter((name) => names.includes(name));
  unused.push(...dropped.map((name) => `${prefix}${name}`));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !dropped.includes(name)));
}

const readSchema = z.preprocess((manifest) => dropUnused(manifest), manifestSchema);

/** JSON Schema of `card.json`, for editors. */
export function manifestJsonSchema(): string {
  const schema = z.toJSONSchema(manifestSchema, { io: "input", unrepresentable: "throw" });
  const unused = UNUSED.map((name) => [name, { description: "Of another tool: kept in the card, and not used." }]);
  return formatJson({
    ...schema,
    properties: { ...schema.properties, ...Object.fromEntries(unused) },
    title: "A mind card (card.json)",
  });
}

/** The hooks, in the order in which their policies run. */
export function hooksOf(manifest: Manifest): readonly string[] {
  return manifest.hooks?.include ?? [];
}

/** Whether the card binds itself to saying no. */
export function isRestrictOnly(manifest: Manifest): boolean {
  return manifest.hooks?.restrictOnly ?? false;
}

export function skillsOf(manifest: Manifest): readonly string[] {
  return manifest.skills?.include ?? [];
}

/** The capabilities that the card declares for one of its hooks, sorted. */
export function capabilitiesOf(manifest: Manifest, hook: string): Capability[] {
  const declared = manifest.hooks?.capabilities ?? {};
  const listed = Object.hasOwn(declared, hook) ? (declared[hook] ?? []) : [];
  return sortedBy(listed, (capability) => capability);
}

/** The options that the card declares for one of its hooks, sorted by name; undefined: there are none. */
export function declaredOptionsOf(manifest: Manifest, hook: string): OptionDeclarations | undefined {
  const declared = manifest.hooks?.options ?? {};
  const options = Object.hasOwn(declared, hook) ? declared[hook] : undefined;
  return options && Object.fromEntries(sortedBy(Object.entries(options), ([name]) => name));
}
