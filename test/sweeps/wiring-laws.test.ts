import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyChanges } from "../../src/wiring/changes.ts";
import type { JsonOriginal } from "../../src/wiring/json-file.ts";
import { planWiring, type WiringEntry } from "../agents/claude-code/entries.ts";
import { temporaryFolder } from "../support/cards.ts";

const EVENTS = ["PreToolUse", "PostToolUse", "PostToolUseFailure"] as const;
const OURS = "drwn-hook";
const isOurs = (command: string) => command.startsWith(OURS);

const blank = fc.string({ unit: fc.constantFrom(" ", "\t", "\n", "\r\n"), maxLength: 4 });
const names = fc.oneof(fc.string(), fc.constantFrom("hooks", "model", "PreToolUse", "__proto__", "//"));

/** JSON text of any layout, with white space of any kind wherever it is allowed. */
function textOf(value: unknown, spaces: () => string): string {
  const between = (items: string[]) => items.map((item) => `${spaces()}${item}${spaces()}`).join(",") || spaces();
  if (Array.isArray(value)) return `[${between(value.map((item) => textOf(item, spaces)))}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}${spaces()}:${spaces()}${textOf(inner, spaces)}`,
  );
  return `{${between(members)}}`;
}

const handlers = fc.array(fc.record({ type: fc.constant("command"), command: fc.string() }), { maxLength: 3 });
const groups = fc
  .array(fc.dictionary(names, fc.jsonValue(), { maxKeys: 2 }), { maxLength: 3 })
  .chain((others) => handlers.map((hooks) => (hooks.length === 0 ? others : [...others, { hooks }])));
const hooks = fc.dictionary(fc.constantFrom(...EVENTS, "Stop", "SessionStart"), groups, { maxKeys: 4 });
const settings = fc
  .tuple(
    fc.dictionary(
      names.filter((name) => name !== "hooks"),
      fc.jsonValue(),
      { maxKeys: 4 },
    ),
    fc.option(hooks),
  )
  .map(([others, found]) => (found === null ? others : { ...others, hooks: found }));
const layout = fc.oneof(
  fc.constantFrom("", "  ", "    ", "\t").map((indent) => (value: unknown) => JSON.stringify(value, null, indent)),
  fc.infiniteStream(blank).map((stream) => (value: unknown) => textOf(value, () => stream.next().value ?? "")),
);
const documents = fc
  .tuple(settings, layout, fc.constantFrom("", "\n", "\r\n", "\n\n"), fc.constantFrom("", "\ufeff"))
  .map(([value, lay, end, mark]) => `${mark}${lay(value)}${end}`);

const entries = fc.uniqueArray(
  fc.record({
    event: fc.constantFrom(...EVENTS),
    matcher: fc.option(fc.string()),
    command: fc.string().map((rest) => `${OURS} ${rest}`),
    timeout: fc.integer({ min: 1, max: 600 }),
  }),
  { selector: ({ event }) => event, maxLength: 3 },
);

function write(file: string, wanted: readonly WiringEntry[], record: JsonOriginal | undefined) {
  const planned = planWiring({ settingsFile: file, root: path.dirname(file), entries: wanted, isOurs, record });
  if (planned.change !== undefined) applyChanges([planned.change]);
  return planned;
}

test("whatever is written in whatever order, taking all out gives the settings back byte for byte", () => {
  const file = path.join(temporaryFolder(), "settings.json");
  fc.assert(
    fc.property(documents, fc.array(entries, { minLength: 1, maxLength: 4 }), (original, steps) => {
      fs.writeFileSync(file, original);
      let record: JsonOriginal | undefined;
      for (const wanted of steps) {
        record = write(file, wanted, record).record;
        expect(write(file, wanted, record).change).toBeUndefined();
      }
      write(file, [], record);
      expect(fs.readFileSync(file, "utf8")).toBe(original);
    }),
    { numRuns: 300 },
  );
});

test("whatever stands in the settings, every entry of ours is there once and nothing else is different", () => {
  const file = path.join(temporaryFolder(), "settings.json");
  fc.assert(
    fc.property(documents, entries, (original, wanted) => {
      fs.writeFileSync(file, original);
      write(file, wanted, undefined);
      const after = JSON.parse(fs.readFileSync(file, "utf8").replace(/^\ufeff/u, ""));
      const before = JSON.parse(original.replace(/^\ufeff/u, ""));
      for (const { event, matcher, command, timeout } of wanted) {
        const group = after.hooks[event].pop();
        const hooks = [{ type: "command", command, timeout }];
        expect(group).toEqual(matcher === null ? { hooks } : { matcher, hooks });
        if (before.hooks?.[event] === undefined) delete after.hooks[event];
      }
      if (before.hooks === undefined && wanted.length > 0) delete after.hooks;
      expect(JSON.stringify(after)).toBe(JSON.stringify(before));
    }),
    { numRuns: 300 },
  );
});
