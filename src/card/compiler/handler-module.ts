import path from "node:path";
import { DEADLINES } from "../../contract/deadlines.ts";
import type { Capability } from "../../contract/plan.ts";
import { type HandlerTerms, PROTOCOLS, toolsOf } from "../../helpers/handlers/protocols.ts";
import { compileLinear } from "../../helpers/pattern/linear-pattern.ts";
import { PatternFault } from "../../helpers/pattern/syntax.ts";
import { parseFormat } from "../../kernel/format/read.ts";
import { lazily, lineText } from "../../kernel/format/schema.ts";
import * as z from "../../kernel/format/zod.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { NATIVE_TOOLS, type NativeTools } from "../../policy/dialect-names.ts";
import { EVENTS, isCanonicalEvent } from "../../policy/lifecycle-events.ts";
import type { CardFiles } from "../files.ts";
import { compileMatcher } from "../matcher.ts";

export interface HandlerModule {
  /** TypeScript, like a policy.ts. */
  text: string;
  /** The card's files that it was made from. */
  inputs: string[];
}

type Handler = HandlerFile["handler"];

/** The capability that each kind of handler needs. */
export const CAPABILITY_OF: Readonly<Record<Handler["type"], Capability>> = {
  command: "exec",
  http: "net",
  wasm: "wasm",
};

/** The arguments that give an interpreter the script itself; the script's own arguments come after them. */
type Interpreter = (text: string, name: string) => string[];

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  ...asAll<Interpreter>(["sh", "bash", "dash", "ksh", "zsh"], (text, name) => ["-c", text, name]),
  ...asAll<Interpreter>(["python", "python3"], (text, name) => ["-c", runInPython(name), text]),
  ...asAll<Interpreter>(["perl", "ruby"], (text) => ["-e", text, "--"]),
  node: (text, name) => [...(name.endsWith(".mjs") ? ["--input-type=module"] : []), "-e", text, "--"],
};

function asAll<Value>(names: readonly string[], value: Value): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

/**
 * For a program in an argument, Python looks for modules in the working folder first: whoever can write there could
 * replace the guard's `import json` with a file of theirs. For a script file, Python looks in the script's own folder
 * instead.
 */
function runInPython(name: string): string {
  return `import sys;sys.path[:]=[p for p in sys.path if p];exec(compile(sys.argv.pop(1),${JSON.stringify(name)},"exec"))`;
}

/** Some systems accept no longer argument. */
export const LONGEST_SCRIPT = 120_000;

export function isInterpreter(program: string): boolean {
  return Object.hasOwn(INTERPRETERS, path.posix.basename(program));
}

export function handlerFileOf(hook: string): string {
  return `hooks/${hook}/${HANDLER_FILE}`;
}

interface HandlerSource {
  files: CardFiles;
  hook: string;
  capabilities: readonly Capability[];
}

/**
 * The policy that a hook's handler.json stands for; undefined if the hook has none. Scripts and modules become part of
 * it: the digest in the consent covers them, and the policy looks for nothing on the disk when it runs.
 */
export function makeHandlerModule({ files, hook, capabilities }: HandlerSource): HandlerModule | undefined {
  const file = handlerFileOf(hook);
  const bytes = files.get(file);
  if (bytes === undefined) return undefined;
  const parsed = parseHandler(bytes, { file });
  const { handler } = parsed;
  const needed = CAPABILITY_OF[handler.type];
  if (!capabilities.includes(needed)) throw undeclared(hook, needed, handler.type);
  const { given, inputs } = policyArguments(handler, { files, hook });
  const text = [
    `import { ${handler.type}Policy } from "drwn:${handler.type}";`,
    `export default ${handler.type}Policy(${JSON.stringify(termsOf(parsed))}, ${JSON.stringify(given)});`,
    "",
  ].join("\n");
  return { text, inputs: [file, ...inputs] };
}

function termsOf(parsed: HandlerFile): HandlerTerms {
  const { event, policyKind, matcher, inputPattern, timeoutMs = DEADLINES.default, speaks = "drwn" } = parsed;
  const system = toolsOf(speaks);
  return {
    event,
    policyKind,
    ...(matcher === undefined ? {} : system === null ? { matcher } : inNamesOf(system, matcher)),
    ...(inputPattern === undefined ? {} : { inputPattern }),
    timeoutMs,
    speaks,
  };
}

/** For a matcher on a system's own tool names: the hook is asked about all candidates, and checks the name itself. */
function inNamesOf(system: NativeTools, glob: string): Pick<HandlerTerms, "matcher" | "ownName"> {
  const ownName = compileMatcher(glob);
  // A name that it leaves out may belong to another tool in another system.
  if (glob.startsWith("!")) return { ownName };
  const isMeant = new RegExp(ownName, "u");
  const canonical = Object.entries(NATIVE_TOOLS[system]).flatMap(([own, name]) => (isMeant.test(own) ? [name] : []));
  const matcher = [...new Set([glob, ...canonical])].join("|");
  try {
    compileMatcher(matcher);
    return { matcher, ownName };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { ownName };
  }
}

interface HookFiles {
  files: CardFiles;
  hook: string;
}

function policyArguments(handler: Handler, place: HookFiles): { given: object; inputs: string[] } {
  if (handler.type === "http") {
    const { url, method = "POST", headers = {} } = handler;
    return { given: { url, method, headers }, inputs: [] };
  }
  if (handler.type === "wasm") {
    const { name, bytes } = fileOf(handler.module, "handler.module", place);
    return { given: { module: bytes.toString("base64"), function: handler.function ?? "handle" }, inputs: [name] };
  }
  const { command, script, options = [], args = [], env = {} } = handler;
  if (script === undefined) return { given: { command, args: [...options, ...args], env }, inputs: [] };
  const { name, bytes } = fileOf(script, "handler.script", place);
  const given = [...options, ...scriptArgs(command, name, bytes), ...args];
  return { given: { command, args: given, env }, inputs: [name] };
}

function scriptArgs(command: string, file: string, bytes: Buffer): string[] {
  const interpreter = isInterpreter(command) ? INTERPRETERS[path.posix.basename(command)] : undefined;
  if (interpreter === undefined) {
    throw refuse(
      file,
      `\`${clean(command)}\` isn't an interpreter that takes a script; drwn knows ${Object.keys(INTERPRETERS).join(", ")}`,
    );
  }
  if (bytes.length > LONGEST_SCRIPT) throw refuse(file, `it is longer than ${LONGEST_SCRIPT} bytes`);
  const text = bytes.toString("utf8");
  if (text.includes("\0") || !Buffer.from(text).equals(bytes)) throw refuse(file, "it isn't text");
  return interpreter(text, path.posix.basename(file));
}

function fileOf(name: string, field: string, { files, hook }: HookFiles): { name: string; bytes: Buffer } {
  const file = `hooks/${hook}/${name}`;
  const bytes = files.get(file);
  if (bytes !== undefined) return { name: file, bytes };
  throw new Problem(
    "DRWN_POLICY_INVALID",
    `${handlerFileOf(hook)}: \`${field}\` names ${clean(file)}, which is not in the card`,
  );
}

function refuse(file: string, why: string): Problem {
  return new Problem("DRWN_POLICY_INVALID", `${clean(file)} cannot be run as a script: ${why}`);
}

function undeclared(hook: string, needed: Capability, type: Handler["type"]): Problem {
  return new Problem(
    "DRWN_POLICY_INVALID",
    `${handlerFileOf(hook)}: a handler of type ${type} needs the capability ${needed}, which \`${hook}\` does not declare`,
    { hint: `add to "hooks" in card.json: "capabilities": { "${hook}": ["${needed}"] }` },
  );
}

/** In a hook's folder, instead of policy.ts: it says who answers for the hook. */
export const HANDLER_FILE = "handler.json";

const makeText = () => z.string().max(100_000);
const makeVariable = () => z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/u, { error: "the name of a variable" });
const makeHeader = () => z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/u, { error: "the name of a header" });
const makeFile = () =>
  z.string().regex(/^(?!.*(?:^|\/)\.)[\w.@ -]+(?:\/[\w.@ -]+)*$/u, { error: "a file in the folder of the hook" });

const makeCommand = () =>
  z
    .strictObject({
      type: z.literal("command"),
      command: lineText(1_000).min(1).describe("A program. drwn starts it directly, without a shell."),
      script: makeFile().optional().describe("A file in the hook's folder for the program, an interpreter, to run."),
      options: z
        .array(lineText(200).min(1))
        .max(20)
        .optional()
        .describe("Arguments for the interpreter, before `script`."),
      args: z.array(makeText()).max(100).optional(),
      env: z.record(makeVariable(), makeText()).optional().describe("Variables besides those that the policy may see."),
    })
    .describe("A program that reads the event on standard input.");

const makeHttp = () =>
  z
    .strictObject({
      type: z.literal("http"),
      url: z.url({ protocol: /^https?$/u, error: "an http(s) URL" }).max(2_000),
      method: z.enum(["POST", "PUT", "PATCH"]).optional(),
      headers: z.record(makeHeader(), lineText(4_000)).optional(),
    })
    .describe("A server that gets the event.");

const makeWasm = () =>
  z
    .strictObject({
      type: z.literal("wasm"),
      module: makeFile().describe("An Extism module in the hook's folder."),
      function: lineText(200).min(1).optional().describe("`handle` when absent."),
    })
    .describe("A function that is called with the event.");

const makePattern = () =>
  z
    .string()
    .max(10_000)
    .check(({ value, issues }) => {
      const fault = faultOf(value);
      if (fault !== undefined) {
        issues.push({ code: "custom", input: value, message: `a regular expression (${fault})` });
      }
    });

/** Every event of the taxonomy. */
const HANDLER_EVENTS = Object.keys(EVENTS).filter(isCanonicalEvent);

const handlerSchema = lazily(() =>
  z
    .strictObject({
      $schema: lineText(2_000).optional(),
      event: z.enum(HANDLER_EVENTS),
      policyKind: z.enum(["enforcement", "observer"]),
      matcher: z
        .string()
        .optional()
        .describe("A glob on the whole name of the tool, as `speaks` has it; absent: every tool."),
      inputPattern: makePattern()
        .optional()
        .describe(
          "A regular expression on the input as compact JSON with sorted keys; without a match, nobody asks the handler.",
        ),
      timeoutMs: z.int().min(1).max(DEADLINES.maximum).optional(),
      speaks: z
        .enum(PROTOCOLS)
        .optional()
        .describe("The system whose way of asking and answering it knows; absent: drwn."),
      handler: z.discriminatedUnion("type", [makeCommand(), makeHttp(), makeWasm()]),
    })
    .check(({ value: { handler, speaks }, issues }) => {
      if (handler.type !== "http" || (speaks !== "arawn" && speaks !== "arawn-settings")) return;
      const message = "`claude` or `drwn` for a server: Arawn takes a no only from an exit code";
      issues.push({ code: "custom", input: speaks, path: ["speaks"], message });
    }),
);

/** `handler.json`: a hook that is answered by a command, a server or a WebAssembly module. */
export type HandlerFile = z.output<ReturnType<typeof handlerSchema>>;

export function parseHandler(content: Uint8Array, place: { file: string }): HandlerFile {
  return parseFormat(content, handlerSchema(), place);
}

function faultOf(source: string): string | undefined {
  try {
    compileLinear(source);
    return undefined;
  } catch (error) {
    if (error instanceof PatternFault) return error.message;
    throw error;
  }
}
