import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DeclaredPolicy } from "../../../src/dialects/hooker/read/declared.ts";
import { readPoliciesRb, rubyOf } from "../../../src/dialects/hooker/read/read.ts";
import { askRuby, HAS_RUBY } from "./ruby.ts";

const gated = (on: string): string => `policy "p" do\n  ${on}\n  gate "m"\nend\n`;

/** Files that are read, each for what it is written with. */
const READ: string[] = [
  gated("on :PreToolUse"),
  gated('on "PreToolUse", tool: "Edit|Write", match: /a\\/b\\.c/, match_field: :content'),
  gated("on(:PreToolUse, {}.class == Hash ? 1 : 2)").replace(/\(.*\)/u, "(:PreToolUse)"),
  gated("on :PreToolUse, :tool => 'B', 'match': \"x\""),
  gated("on :PreToolUse, match: %r{a/b}mix"),
  gated("on :PreToolUse, match: /a b # c/x, match_field: 'f'"),
  gated("on :PreToolUse, file: /\\.env/i, match: 'x'"),
  gated('on :PreToolUse, file: "a b-c#d.e+f[g]{h}(i)|j^k$l\\tm\\n"'),
  gated("on :PreToolUse, tool: /ba.h/i"),
  gated("on :PreToolUse, tool: /x y/mx"),
  gated("on :PreToolUse, tool: :Bash, match: :git_commit"),
  gated('on :PreToolUse, match: ":git_push_force"'),
  gated("on :PreToolUse, match: nil, tool: nil, file: nil"),
  gated("on :PreToolUse, match_field: :content"),
  'policy("p") { gate }\n',
  "policy :name do\n  gate 'it''s' \" here\"\nend\n",
  'policy "p" do\n  gate nil\nend',
  'policy "p" do\n  gate "\\u00e9\\t\\x41\\101\\e\\s\\M-a"\nend'.replace("\\M-a", ""),
  'policy "p" do\n  gate %q(a (b) \\) c)\nend\n',
  "policy 'p' do\n  gate ?a\nend\n",
  'policy "p" do\n  gate "a" \\\n    "b"\nend\n',
  'policy "p" do\n  gate "a\nb"\nend\n',
  'policy "p" do\n  gate <<~TEXT\n    a\n      b\n\n    c\n  TEXT\nend\n',
  "policy \"p\" do\n  gate <<-'TEXT'.freeze\n    a #{x} \\n\n  TEXT\nend\n",
  'X = "it"\npolicy "p" do\n  gate "a #{X} b #{:sym}"\nend\n',
  'X = ["a", :b].freeze\npolicy "p" do\n  gate X.join(", ") + "!"\nend\n',
  'x = "a"\ny = x\npolicy "p #{y}" do\n  gate y\nend\n',
  '%w[a b].each do |f|\n  policy "no #{f}" do\n    on :PreToolUse, file: f\n    gate\n  end\nend\n',
  "[].each { |f| policy(f) { gate } }\n",
  'policy "p" do\n  %i[a b].each { |f| inject f.to_s }\nend\n',
  'policy "p" do\n  inject "a", ["b", ["c"]], command: "d"\nend\n',
  'policy "p" do\n  inject(*[])\n  gate\nend\n'.replace("inject(*[])", "inject"),
  'policy "p" do\n  transform context: ["a", "b"], prompt: "x", field: :f, model: "m"\nend\n',
  'policy "p" do\n  transform command: "cat", context: "a"\nend\n',
  'policy "p" do\n  gate\n  inject "x"\n  when_prompt "c", model: "m"\nend\n',
  'policy "p" do\nend\n',
  'policy "p" do\n  gate("x"); when_prompt("c")\nend\n',
  "# frozen_string_literal: true\n=begin\npolicy\n=end\npolicy 'p' do gate end\n__END__\nthis is no Ruby (\n".replace(
    "do gate end",
    "do\n  gate\nend",
  ),
  "",
  "\n\n# nothing\n",
  'policy "é" do\n  gate "日本 🙂"\nend\n',
  "policy 'p' do\r\n  gate 'a'\r\nend\r\n",
];

/** Files that are refused, with what is said about them. */
const REFUSED: [source: string, message: RegExp][] = [
  ["puts 1", /^line 1: `puts` is not a word of the policy language here$/u],
  ["\nif true\nend", /^line 2: If is not part/u],
  ['policy "p" do\n  gate ENV["X"]\nend', /^line 2: the method `\[\]` is not part/u],
  ['policy "p" do\n  gate `ls`\nend', /^line 2: XString/u],
  ['policy "p" do\n  gate "#{1 + 1}"\nend', /^line 2: /u],
  ['policy "p" do\n  gate "a".upcase\nend', /^line 2: the method `upcase`/u],
  ['policy "p" do\n  deny "a"\nend', /^line 2: `deny` is not a word/u],
  ['policy "p" do\n  on :PreToolUse, mtach: "a"\nend', /^line 2: unknown keyword: :mtach$/u],
  ['policy "p" do\n  on :a, :b\nend', /wrong number of arguments \(given 2, expected 1\)/u],
  ['policy "p" do\n  on :a\n  on :b\nend', /^line 3: `on` is there twice$/u],
  ['policy "p"', /needs a block/u],
  ['policy "p" do |x|\nend', /no parameters/u],
  ['policy "p" do\n  policy "q" do\n  end\nend', /^line 2: `policy` is not a word/u],
  ["gate", /^line 1: `gate` is not a word/u],
  ['policy "p" do\n  gate x\nend', /^line 2: /u],
  ["require 'json'", /`require`/u],
  ["X = 1..2", /^line 1: Range/u],
  ['policy "p" do\n  on :a, match: 5\nend', /^line 2: Integer/u],
  ["class A\nend", /^line 1: Class/u],
  ["policy 'p' do\n  gate(*['a'])\nend", /^line 2: Splat/u],
  ["a = 'x'\n['y'].each { |b| a = b }", /set inside of a block/u],
  ["X = 'x'\nX = 'y'", /set a second time/u],
  ["# encoding: iso-8859-1\n", /an encoding of its own/u],
  ["policy 'p' do\n", /^line \d+: /u],
  ["policy 'p' do\0end", /control character/u],
  [`${"a = ['x']\n"}${"a = a + a\n".repeat(40)}`, /a list is too long/u],
  [`a = 'x'\n${"a = a + a\n".repeat(40)}`, /longer than/u],
  [`${"['x','y'].each { |a| ".repeat(25)}${"}".repeat(25)}`, /more than 200000 steps/u],
];

describe("the reader", () => {
  test.each(REFUSED)("refuses %j", (source, message) => {
    expect(() => readPoliciesRb(Buffer.from(source))).toThrow(message);
  });

  test.each(READ)("reads %j", (source) => {
    expect(readPoliciesRb(Buffer.from(source))).toBeInstanceOf(Array);
  });
});

describe.skipIf(!HAS_RUBY)("against Ruby (skipped where there is no `ruby`)", () => {
  test("every file that is read is what Ruby makes of it, and every file that Ruby fails on is refused", () => {
    const sources = [...READ, ...REFUSED.map(([source]) => source).filter((source) => source.length < 200)];
    const known = askRuby({ sources });
    for (const [at, source] of sources.entries()) expectSameOrRefused(source, known[at] ?? null);
  });

  test("generated files are the same data, or refused", () => {
    const sources = fc.sample(anyFile(), { numRuns: 600, seed: 8 });
    const known = askRuby({ sources });
    const read = sources.filter((source, at) => expectSameOrRefused(source, known[at] ?? null));
    // A reader that refuses all would agree with everybody.
    expect(read.length).toBeGreaterThan(known.filter((data) => data !== null).length * 0.75);
  });
});

/** Whether it was read. */
function expectSameOrRefused(source: string, ruby: unknown): boolean {
  let policies: DeclaredPolicy[];
  try {
    policies = readPoliciesRb(Buffer.from(source));
  } catch {
    return false;
  }
  expect({ source, policies: policies.map(asHooker) }).toEqual({ source, policies: ruby });
  return true;
}

function asHooker({ line: _, tool, match, ...policy }: DeclaredPolicy): object {
  const constant = match !== null && "constant" in match ? `:${match.constant}` : null;
  return { ...policy, tool: tool?.ruby ?? null, match: constant ?? rubyOf(match) };
}

function anyFile(): fc.Arbitrary<string> {
  const characters = [..."ab\\\"'#{}/().*+ \n\t$@[]|^-%~é", "#{X}", "\\n", "\\u00e9", "\\/", "\\\\"];
  const inside = fc.array(fc.constantFrom(...characters), { maxLength: 8 }).map((parts) => parts.join(""));
  const literal = fc.oneof(
    inside.map((text) => `"${text.replace(/(?<!\\)"/gu, "")}"`),
    inside.map((text) => `'${text.replace(/(?<!\\)'/gu, "")}'`),
    inside.map((text) => `%q(${text})`),
    inside.map((text) => `%Q[${text}]`),
    inside.map((text) => `<<~T\n${text}\n  T\n`),
    fc.constantFrom("X", "x", ":sym", ":'a b'", "nil", "?a", '"a" "b"', 'X + "y"', '["a", X].join("-")', "5", "[X]"),
  );
  const pattern = fc.oneof(
    literal,
    fc.tuple(inside, fc.constantFrom("", "i", "mx", "o", "u")).map(([text, flags]) => `/${text}/${flags}`),
    inside.map((text) => `%r{${text}}`),
  );
  const pair = fc.oneof(
    pattern.map((value) => `match: ${value}`),
    pattern.map((value) => `file: ${value}`),
    pattern.map((value) => `tool: ${value}`),
    literal.map((value) => `match_field: ${value}`),
  );
  const on = fc
    .tuple(literal, fc.array(pair, { maxLength: 2 }))
    .map(([event, pairs]) => `on(${[event, ...pairs].join(", ")})`);
  const statement = fc.oneof(
    { weight: 3, arbitrary: on },
    literal.map((value) => `gate(${value})`),
    literal.map((value) => `when_prompt ${value}`),
    fc.tuple(literal, literal).map(([file, command]) => `inject(${file}, command: ${command})`),
    fc.tuple(literal, literal).map(([context, prompt]) => `transform(context: ${context}, prompt: ${prompt})`),
  );
  const rule = fc
    .tuple(literal, fc.array(statement, { maxLength: 3 }))
    .map(([name, statements]) => `policy(${name}) do\n${statements.join("\n")}\nend\n`);
  return fc.array(rule, { minLength: 1, maxLength: 2 }).map((rules) => `X = "it"\nx = 'lo'\n${rules.join("")}`);
}
