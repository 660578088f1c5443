import type { Capability } from "../../../contract/plan.ts";
import { clean } from "../../../kernel/text.ts";
import { literal } from "../../importing/literal.ts";
import { DEFAULTS, type Hook, type HookHandler, titleOf } from "../words/hook.ts";

/** The hook as it stands, in TypeScript: who reviews the card sees what runs. */
export function emitAstridPolicy(name: string, hook: Hook): string {
  const { handler, matcher } = hook;
  const imports = ["astridHook", handler.type].sort();
  return [
    `import { ${imports.join(", ")} } from "darwinian-minds/hook-policy/astrid";`,
    ...(handler.type === "wasm" ? ['import { MODULE } from "./module.ts";'] : []),
    "",
    "export default astridHook({",
    `  name: ${literal(hook.name ?? name)},`,
    `  event: ${literal(hook.event)},`,
    ...(matcher === null ? [] : [`  matcher: ${object(matcher)},`]),
    `  handler: ${handler.type}(${object(partsOf(handler))}),`,
    ...(hook.failAction === DEFAULTS.failAction ? [] : [`  failAction: ${literal(hook.failAction)},`]),
    ...(hook.timeoutSecs === DEFAULTS.timeoutSecs ? [] : [`  timeoutSecs: ${hook.timeoutSecs},`]),
    "});",
    "",
  ].join("\n");
}

export function emitModule(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("base64");
  const lines = text.match(/.{1,100}/gu) ?? [];
  return `/** The Extism module, in base64. */\nexport const MODULE =\n${lines.map((line) => `  "${line}"`).join(" +\n") || '  ""'};\n`;
}

export function emitReadme(name: string, hook: Hook): string {
  const [about = ""] = (hook.description ?? "").split("\n");
  const rest = about === "" ? "" : ` ${clean(about, 200).replaceAll("`", "")}`;
  return `# ${name}: ${clean(titleOf(hook), 80)}\n\nImported from a file of Astrid's: asks ${nameOf(hook.handler)} on ${hook.event}.${rest}\n`;
}

export function astridCapabilities({ handler }: Hook): Capability[] {
  if (handler.type === "command") return ["env", "exec"];
  return [handler.type === "http" ? "net" : "wasm"];
}

/** A placeholder stands for code, not for text. */
const CODE = Symbol("code");

function partsOf(handler: HookHandler): Record<string, unknown> {
  if (handler.type === "command") {
    const { command, args, env, workingDir } = handler;
    return {
      command,
      ...(args.length === 0 ? {} : { args }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(workingDir === null ? {} : { workingDir }),
    };
  }
  if (handler.type === "wasm") {
    return { module: CODE, ...(handler.function === DEFAULTS.function ? {} : { function: handler.function }) };
  }
  const { url, method, headers, bodyTemplate } = handler;
  return {
    url,
    ...(method === DEFAULTS.method ? {} : { method }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(bodyTemplate === null ? {} : { bodyTemplate }),
  };
}

function object(fields: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(fields).map(([key, value]) => `${key}: ${value === CODE ? "MODULE" : literal(value)}`);
  return `{ ${parts.join(", ")} }`;
}

function nameOf(handler: HookHandler): string {
  if (handler.type === "command") return `the program \`${clean(handler.command, 80).replaceAll("`", "")}\``;
  if (handler.type === "http") return `the server ${clean(new URL(handler.url).host, 80)}`;
  return "an Extism module";
}
