import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appendItem, removeIfEmpty, removeValue, setValue } from "../../../src/kernel/format/edit-json.ts";

const TEXT = '{\n\t"z": 1,\n\t"list": [\n\t\t"a"\n\t],\n\t"a": { "odd":   "spacing" }\n}\n';

describe("an edit of a JSON text", () => {
  test("keeps order, tabs, odd spacing elsewhere and the final newline", () => {
    expect(appendItem(TEXT, ["list"], "b")).toBe(
      '{\n\t"z": 1,\n\t"list": [\n\t\t"a",\n\t\t"b"\n\t],\n\t"a": { "odd":   "spacing" }\n}\n',
    );
  });

  test("keeps the absence of a final newline, and carriage returns", () => {
    expect(setValue('{\r\n    "a": 1\r\n}', ["b"], 2)).toBe('{\r\n    "a": 1,\r\n    "b": 2\r\n}');
  });

  test("makes the array and the objects around it when they are absent", () => {
    expect(JSON.parse(appendItem("{}", ["hooks", "include"], "x"))).toEqual({ hooks: { include: ["x"] } });
  });

  test("removes empty containers from the inside out, and only empty ones", () => {
    expect(JSON.parse(removeIfEmpty('{"a": {"b": {"c": []}}, "d": 1}', ["a", "b", "c"]))).toEqual({ d: 1 });
    expect(JSON.parse(removeIfEmpty('{"a": {"b": {}, "c": 1}}', ["a", "b"]))).toEqual({ a: { c: 1 } });
    expect(removeIfEmpty('{"a": [1]}', ["a"])).toBe('{"a": [1]}');
    expect(removeIfEmpty('{"a": ""}', ["a"])).toBe('{"a": ""}');
  });

  test("removing what is absent changes nothing", () => {
    expect(removeValue(TEXT, ["none"])).toBe(TEXT);
  });

  test("adding an item and removing it gives the same bytes, for text as formatJson writes it", () => {
    const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/u), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.stringMatching(/^[A-Z]{1,8}$/u), (list, item) => {
        const text = `${JSON.stringify({ a: 1, list, z: 2 }, null, 2)}\n`;
        expect(removeValue(appendItem(text, ["list"], item), ["list", list.length])).toBe(text);
      }),
    );
  });
});
