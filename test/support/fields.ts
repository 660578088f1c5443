import * as z from "../../src/kernel/format/zod.ts";

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
}

/**
 * Every field that a schema knows, as a path: `a.b`, `list[].c`, `record.*.d`. The list is generated, so that a test
 * that compares a table with it misses no new field.
 */
export function fieldsOf(schema: z.ZodType): string[] {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return [...new Set(walk(json as JsonSchema, ""))].sort();
}

function walk(schema: JsonSchema, path: string): string[] {
  const inner = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      walk(field, path === "" ? name : `${path}.${name}`),
    ),
    ...(schema.items === undefined ? [] : walk(schema.items, `${path}[]`)),
    ...(typeof schema.additionalProperties === "object" ? walk(schema.additionalProperties, `${path}.*`) : []),
    ...(schema.anyOf ?? []).flatMap((one) => walk(one, path)),
  ];
  return path === "" ? inner : [path, ...inner];
}
