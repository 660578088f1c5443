// Draws docs/denial.svg: a terminal in which a guard says no, and still says no when it is broken. Every line is what the real
// program printed, in a throw-away home; `generate.mjs` writes the picture, and test/docs/picture.test.ts keeps it current.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { GUARD } from "./guard.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const PREPARE = [
  "drwn card new @me/backend",
  "drwn card source add-hook @me/backend guard-rm",
  'cp "$GUARD" ~/.agents/drwn/sources/@me/backend/hooks/guard-rm/policy.ts',
  "drwn card publish @me/backend",
  "drwn init",
  "drwn add @me/backend",
  "drwn card trust @me/backend --hooks --yes",
  "drwn write",
];

const ASK = `drwn explain --tool Bash --input '{"command":"rm -rf build"}'`;
const SHOWN = [`${ASK} | head -6`, "rm ~/.agents/drwn/projects/*/bundles/*   # break the guard", `${ASK} | head -5`];

/** Draws the picture from what this build of drwn prints. */
export function drawDenial() {
  const world = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-picture-")));
  try {
    const run = shellIn(world);
    for (const line of PREPARE) run(line);
    return draw(SHOWN.flatMap((line) => [`\u001b[32m$\u001b[39m ${line}`, ...run(line).split("\n").slice(0, -1)]));
  } finally {
    spawnSync("chmod", ["-R", "u+w", world]);
    fs.rmSync(world, { recursive: true, force: true });
  }
}

/** Runs lines of shell with drwn on PATH, and returns what they print. */
function shellIn(world) {
  const home = path.join(world, "home");
  const project = path.join(home, "my-project");
  const guard = path.join(world, "policy.ts");
  fs.mkdirSync(project, { recursive: true });
  fs.mkdirSync(path.join(world, "bin"));
  fs.symlinkSync(path.join(root, "bin/drwn.js"), path.join(world, "bin/drwn"));
  fs.writeFileSync(guard, GUARD);
  const PATH = [path.join(world, "bin"), path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  return (line) => {
    const env = { PATH, HOME: home, GUARD: guard, FORCE_COLOR: "1" };
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line], { cwd: project, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${line} ended with ${status}: ${stderr}`);
    // A policy takes a different time on every run.
    return stdout.replaceAll(world, "~").replaceAll(/ *\u001b\[2m[\d.]+ ms\u001b\[22m/gu, "");
  };
}

const COLUMNS = 104;
const [WIDTH, HEIGHT, MARGIN] = [8.2, 19, 18];
const CLASSES = { 1: "bold", 2: "dim", 31: "bad", 32: "good", 33: "warn" };

function draw(lines) {
  const rows = lines.flatMap((line) => wrap(readColours(line)));
  const [width, height] = [Math.ceil(COLUMNS * WIDTH) + 2 * MARGIN, rows.length * HEIGHT + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    "<title>A guard denies a call, and still denies it when its compiled file is gone</title>",
    "<style>text { font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d6deeb; white-space: pre }",
    ".bold { font-weight: bold } .dim { fill: #8b98a9 } .bad { fill: #ff7b72 } .good { fill: #7ee787 } .warn { fill: #e3b341 }</style>",
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...rows.map(
      (spans, at) => `<text x="${MARGIN}" y="${MARGIN + 14 + at * HEIGHT}">${spans.map(drawSpan).join("")}</text>`,
    ),
    "</svg>",
    "",
  ].join("\n");
}

function drawSpan({ text, style }) {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return style === undefined ? escaped : `<tspan class="${style}">${escaped}</tspan>`;
}

/** The text between the escape sequences, each piece with the last style that was switched on. */
function readColours(line) {
  const spans = [];
  let style;
  for (const [, code, text] of line.matchAll(/(?:\u001b\[(\d+)m)?([^\u001b]*)/gu)) {
    if (code !== undefined) style = CLASSES[code];
    if (text !== "") spans.push({ text, style });
  }
  return spans;
}

/** Breaks a long line between words; what continues is indented. */
function wrap(spans) {
  const rows = [[]];
  let column = 0;
  for (const { text, style } of spans) {
    for (const word of text.match(/ *[^ ]+| +$/gu) ?? []) {
      if (column + word.length > COLUMNS) {
        rows.push([{ text: "      ", style: undefined }]);
        column = 6;
      }
      const shown = column === 6 && rows.length > 1 ? word.trimStart() : word;
      const row = rows.at(-1);
      const last = row.at(-1);
      if (last !== undefined && last.style === style) last.text += shown;
      else row.push({ text: shown, style });
      column += shown.length;
    }
  }
  return rows;
}
