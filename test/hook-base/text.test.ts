import { expect, test } from "vitest";
import { cleanLine, cleanText } from "../../src/hook-base/text.ts";

test.each([
  ["a colour", "\u001b[31m", "\\u{1b}[31m"],
  ["a control of C1", "\u009b", "\\u{9b}"],
  ["what turns text around", "\u202e", "\\u{202e}"],
  ["what has no width", "\u200b", "\\u{200b}"],
  ["a letter that only tags", "\u{e0041}", "\\u{db40}\\u{dc41}"],
  ["a character for private use", "\u{10fffd}", "\\u{dbff}\\u{dffd}"],
  ["half a character", "\ud83d", "\\u{d83d}"],
])("%s in what a policy says is seen, and does nothing", (_, hidden, seen) => {
  expect(cleanText(`a${hidden}b`, 100)).toBe(`a${seen}b`);
});

test("letters, signs, line breaks and tabs are what they were, up to a length", () => {
  const text = "größe 日本 😀\t1\n2";
  expect(cleanText(text, 100)).toBe(text);
  expect(cleanLine(text, 100)).toBe("größe 日本 😀 1 2");
  expect(cleanText("abcdef", 4)).toBe("abc…");
});
