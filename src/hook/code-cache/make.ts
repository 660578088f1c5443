import fs from "node:fs";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import type { Script } from "node:vm";
import { CODE_START, MARK_BYTES } from "../../contract/code-cache.ts";
import type * as helpers from "../../helpers/index.ts";
import type { ToolPolicyEvent } from "../../policy/event.ts";
import { compile, lineOfNode } from "./read.ts";

interface Compiled {
  name: string;
  text: Buffer;
  script: Script;
}

/**
 * `make.cjs <mark> <kind>,… <hook program or shard>…`, started with the flags of the first kind: for each kind it writes
 * the file of cached code, after a line with its length. It runs none of them but drwn's own SDK. With `--random-seed`,
 * and in a process that does nothing else, the same files in the same order always give the same bytes.
 */
function make([mark = "", kinds = "", ...files]: readonly string[]): void {
  const compiled = files.map(read);
  for (const kind of kinds.split(",")) {
    const content = print(mark, compiled, kind);
    fs.writeFileSync(1, Buffer.concat([Buffer.from(`${content.length}\n`), content]));
  }
}

function read(file: string): Compiled {
  const name = path.basename(file, ".cjs");
  const text = fs.readFileSync(file);
  // A policy's text decides what it brings as the SDK, and no policy may run here.
  const isOwnSdk = text.equals(fs.readFileSync(path.join(__dirname, "sdk.cjs")));
  return { name, text, script: isOwnSdk ? compileUsed(name, text) : compileWhole(name, text) };
}

/** V8 would leave most functions for later, and each call would compile those that it runs. */
function compileWhole(name: string, text: Buffer): Script {
  return withFlag("--no-lazy", "--lazy", () => compile(name, text.toString()));
}

/**
 * The SDK with the code of the functions that ordinary calls run, since each call reads all cached code: a call that runs
 * others compiles them.
 */
function compileUsed(name: string, text: Buffer): Script {
  const script = compile(name, text.toString());
  const load = script.runInThisContext() as (require: NodeJS.Require) => typeof helpers;
  withFlag("--no-flush-bytecode", "--flush-bytecode", () => {
    const sdk = load(require);
    for (const event of ORDINARY) ask(sdk, { ...CALL, ...event });
  });
  return script;
}

const CALL = { runtime: "claude-code", phase: "pre-tool", cwd: "/home/me/project", home: "/home/me" } as const;
/** More of them make every other call dearer. */
const ORDINARY: readonly Pick<ToolPolicyEvent, "toolName" | "input">[] = [
  { toolName: "Bash", input: { command: "cd packages/app && npm run build 2>&1 | tail -n 20" } },
  { toolName: "Bash", input: { command: "cd docs && git status" } },
  { toolName: "Edit", input: { file_path: "src/a.ts", old_string: "a = 1", new_string: "a = 2" } },
];

/** Asks what the guards of the catalogue ask. */
function ask(sdk: typeof helpers, event: ToolPolicyEvent): void {
  const project = sdk.projectOf(event);
  sdk.mentions(event, /curl|wget/i);
  sdk.shellTextsOf(event);
  sdk.inputOfEdit(event);
  sdk.flows(event);
  sdk.changes(event);
  sdk.gitSteps(event);
  for (const { place } of sdk.effects(event)) {
    sdk.kindOfPlace(place, project);
    sdk.liesBelow(place, project);
    sdk.matchesGlob(["**/.env"], place);
  }
  for (const step of sdk.steps(event)) {
    sdk.codeOf(step);
    sdk.inputTexts(step);
    sdk.changesOf(step);
    sdk.programCallOf(step);
    sdk.optionsOf(step.arguments, { letters: "n", names: ["name"] });
    sdk.oneOf("cp mv")(step.program);
    sdk.oneOfAnyCase("cp mv")(step.program);
    sdk.resolvePlace("~/a", step.folder);
  }
  sdk.once(() => project)();
}

function print(mark: string, compiled: readonly Compiled[], kind: string): Buffer {
  const offsets: Record<string, readonly [number, number]> = {};
  const parts: Buffer[] = [];
  let end = CODE_START;
  for (const { name, text, script } of compiled) {
    const code = codeFor(kind, script);
    offsets[name] = [end, code.length];
    parts.push(code, code, text);
    end += 2 * code.length + text.length;
  }
  const lines = `${mark.slice(0, MARK_BYTES)}${lineOfNode()}\n${JSON.stringify(offsets)}\n`;
  if (lines.length > CODE_START) throw new Error("too many shards");
  const head = Buffer.alloc(CODE_START, " ");
  head.write(lines, "latin1");
  return Buffer.concat([head, ...parts]);
}

/** `single-call` has the same bytecode as `fixed-seed`, marked for flags that differ in `--rehash-snapshot`. */
function codeFor(kind: string, script: Script): Buffer {
  if (kind !== "single-call") return script.createCachedData();
  return withFlag("--rehash-snapshot", "--no-rehash-snapshot", () => script.createCachedData());
}

/** Does the work while V8 runs with a different flag. */
function withFlag<T>(flag: string, back: string, work: () => T): T {
  setFlagsFromString(flag);
  try {
    return work();
  } finally {
    setFlagsFromString(back);
  }
}

make(process.argv.slice(2));
