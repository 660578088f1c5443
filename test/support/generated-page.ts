import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";

/**
 * The part of a page between the two marks must be this text. With DRWN_WRITE_DOCS set, the test writes it instead,
 * since it knows the text. A page with several such parts has names for them.
 */
export function checkGenerated(page: string, text: string, name = ""): void {
  const mark = (end: string): string => `<!-- generated${name === "" ? "" : ` ${name}`}: ${end} -->\n`;
  const file = path.resolve(import.meta.dirname, "../..", page);
  const content = fs.readFileSync(file, "utf8");
  const begin = content.indexOf(mark("begin")) + mark("begin").length;
  const end = content.indexOf(mark("end"));
  if (begin < mark("begin").length || end < begin) throw new Error(`${page} has no place for what is generated`);
  if (process.env["DRWN_WRITE_DOCS"]) {
    fs.writeFileSync(file, `${content.slice(0, begin)}${text}${content.slice(end)}`);
    return;
  }
  expect(content.slice(begin, end), `${page} is not current: run this test with DRWN_WRITE_DOCS=1`).toBe(text);
}
