import { DEADLINES } from "../../contract/plan.ts";
import { parseFormat } from "../../format/read.ts";
import { lazily, lineText } from "../../format/schema.ts";
import * as z from "../../format/zod.ts";
import { PROTOCOLS } from "../../helpers/handlers/handler.ts";
import { PatternFault } from "../../helpers/pattern/characters.ts";
import { compileLinear } from "../../helpers/pattern/linear-pattern.ts";
import { EVENTS, isCanonicalEvent } from "../../policy/taxonomy.ts";

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
