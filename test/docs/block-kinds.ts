import fs from "node:fs";
import path from "node:path";
import { transform } from "esbuild";
import { FORMATS } from "./formats.ts";
import { checkFile, fillDigests, placeOf } from "./literal-files.ts";
import type { Block } from "./markdown.ts";
import type { Run } from "./run.ts";
import { splitWords } from "./shell-words.ts";
import { runUnitTest, typeCheck } from "./typescript.ts";
import { callHook, normalise, repository, runDrwn, sourceFolder, type World } from "./world.ts";

type Check = (run: Run, block: Block) => void | Promise<void>;

/** By language and, behind it, the first bare word or the name of the first option: what a block is checked by. */
const KINDS: Readonly<Record<string, Check>> = {
  "sh drwn": runCommands,
  "sh npm": findScripts,
  "ts policy": writePolicy,
  "ts file": writeTypeScript,
  "ts test": writeUnitTest,
  "ts example": parseExample,
  "jsonl file": (run, block) => void writeSource(run, block, block.options["file"]),
  "md file": (run, block) => void writeSource(run, block, block.options["file"]),
  "json event": sendEvent,
  "json answer": compareAnswer,
  "json settings": checkFile,
  "json mcp": checkFile,
  "json journal": checkFile,
  "text output": findOutput,
  // For people only.
  "text drawing": () => {},
};
/** What `.ci/installed` does, in an empty prefix. */
const INSTALL = 'npm install -g "$(npm pack --silent)"';
const COMPILING = ["doctor", "pack", "publish"];

/** Fails when the block does not say what it is, or is not what it says. */
export function runBlock(run: Run, block: Block): void | Promise<void> {
  const { language, words, options } = block;
  const check = KINDS[`${language} ${words[0] ?? Object.keys(options)[0] ?? ""}`];
  if (check !== undefined) return check(run, block);
  if (language === "json" && words[0] !== undefined && words[0] in FORMATS) return checkJson(run, block);
  throw new Error(`a block of code has to say what it is, and \`${[language, ...words].join(" ")}\` does not`);
}

/**
 * `exit=N` says how the last command ends; all others succeed. `machine=NAME`: they run on another machine, with a home of
 * its own and the same checkout. `…` in a command is the digest that was printed before.
 */
async function runCommands(run: Run, { text, options }: Block): Promise<void> {
  const world = machineOf(run.world, options["machine"]);
  const [digest = "drwn1-sha512-…"] = /drwn1-sha512-[\w-]{86}/u.exec(run.outcome?.stdout ?? "") ?? [];
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const outcome = { status: 0 as number | null, stdout: "", stderr: "" };
  for (const [at, line] of lines.entries()) {
    const [, command = line, file] = /^(.*\S) > (~\/[\w./-]+)$/u.exec(line) ?? [];
    const [program, ...typed] = splitWords(command.replace("drwn1-sha512-…", digest));
    const words = typed.map((word) => (word.startsWith("~/") ? placeOf(run.world, word) : word));
    if (program !== "drwn") throw new Error(`\`${line}\` is no drwn command`);
    const expected = at === lines.length - 1 ? Number(options["exit"] ?? 0) : 0;
    const { status, stdout, stderr } = await runDrwn(world, words);
    if (file !== undefined) fs.writeFileSync(placeOf(run.world, file), stdout);
    if (status !== expected) throw new Error(`\`${line}\` ended with ${status}\n${stderr}${stdout}`);
    outcome.stdout += stdout;
    outcome.stderr += stderr;
    if (status === 0 && COMPILING.some((word) => words.includes(word))) {
      for (const card of words) run.uncompiled.delete(card);
    }
  }
  run.outcome = outcome;
}

function machineOf(world: World, name: string | undefined): World {
  if (name === undefined) return world;
  const home = path.join(world.home, name);
  fs.mkdirSync(home, { recursive: true });
  return { ...world, home, drwnHome: path.join(home, ".agents", "drwn") };
}

function findScripts(_: Run, { text }: Block): void {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(repository, "package.json"), "utf8"));
  for (const command of text.split(/\n|&&/u).map((part) => part.trim())) {
    if (command === "" || command === "npm ci" || command === INSTALL) continue;
    const [, script] = /^npm (?:run )?([\w:-]+)/u.exec(command) ?? [];
    if (script === undefined || !(script in scripts)) throw new Error(`\`${command}\` is no script of package.json`);
  }
}

function writePolicy(run: Run, block: Block): void {
  const [card = "", hook = ""] = (block.options["policy"] ?? "").split("#", 2);
  const file = path.join(sourceFolder(run.world, card), "hooks", hook, "policy.ts");
  if (!fs.existsSync(file)) throw new Error(`${card} has no hook ${hook} yet`);
  fs.writeFileSync(file, block.text);
  run.uncompiled.set(card, block.line);
  typeCheck(sourceFolder(run.world, card));
}

function writeTypeScript(run: Run, block: Block): void {
  const { card } = writeSource(run, block, block.options["file"]);
  typeCheck(sourceFolder(run.world, card));
}

async function writeUnitTest(run: Run, block: Block): Promise<void> {
  const { card, file } = writeSource(run, block, block.options["test"]);
  typeCheck(sourceFolder(run.world, card));
  await runUnitTest(file);
}

async function parseExample(_: Run, { text }: Block): Promise<void> {
  await transform(text, { loader: "ts" });
}

function checkJson(run: Run, block: Block): void {
  const format = FORMATS[block.words[0] ?? ""];
  if (format?.(fillDigests(block.text)) === undefined) throw new Error("drwn would refuse this file");
  const { file } = block.options;
  // `@me/card#card.json` is written into the card's source; any other file is there.
  if (file?.includes("#")) writeSource(run, block, file);
  else if (file !== undefined) checkFile(run, block);
}

/** `answer=none` says that the hook prints nothing, which lets the call proceed. */
function sendEvent(run: Run, { text, options }: Block): void {
  const outcome = callHook(run.world, JSON.parse(fillHome(text, run)));
  if (outcome.status !== 0) throw new Error(`the hook ended with ${outcome.status}: ${outcome.stderr}`);
  if (options["answer"] === "none" && outcome.stdout !== "") throw new Error(`the hook answered ${outcome.stdout}`);
  run.outcome = outcome;
}

function compareAnswer(run: Run, { text }: Block): void {
  const answer = run.outcome?.stdout.trim() ?? "";
  if (answer === "") throw new Error("the hook answered nothing");
  const [expected, received] = [text, normalise(answer, run.world)].map((json) => JSON.stringify(JSON.parse(json)));
  if (expected !== received) throw new Error(`the hook answered ${received}`);
}

/** Every line must have been printed, each stream's in its order, maybe with others between. */
function findOutput({ world, outcome }: Run, { text }: Block): void {
  if (outcome === undefined) throw new Error("nothing was run before this output");
  const streams = [outcome.stdout, outcome.stderr].map((printed) => normalise(printed, world).split("\n"));
  for (const line of normalise(text, world).split("\n")) {
    if (line.trim() === "") continue;
    const stream = streams.find((lines) => lines.includes(line));
    if (stream === undefined)
      throw new Error(`\`${line}\` was not printed, or not here:\n${streams.flat().join("\n")}`);
    stream.splice(0, stream.indexOf(line) + 1);
  }
}

function writeSource(run: Run, { text }: Block, place = ""): { card: string; file: string } {
  const [card = "", relative = ""] = place.split("#", 2);
  const file = path.join(sourceFolder(run.world, card), relative);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  return { card, file };
}

function fillHome(text: string, { world }: Run): string {
  return text.replaceAll("~/", `${placeOf(world, "~")}/`);
}
