import type { Capability } from "../../../contract/plan.ts";
import { clean } from "../../../kernel/text.ts";
import { literal } from "../../importing/literal.ts";
import { DEFAULTS, type Hook, type HookHandler, hookTitle } from "../words/hook.ts";

/** One hook of a chain, with its name in the card and the file that holds its module. */
export interface CardLink {
  title: string;
  hook: Hook;
  module: ModuleFile | null;
}

export interface ModuleFile {
  /** The name of the file, and of what it exports. */
  file: string;
  constant: string;
  bytes: Uint8Array;
}

/** The hooks of one event in TypeScript, as they are: whoever reviews the card sees what runs. */
export function emitAstridPolicy(links: readonly CardLink[]): string {
  const imports = ["astridHook", ...new Set(links.map(({ hook }) => hook.handler.type))].sort();
  const modules = links.flatMap(({ module }) => (module === null ? [] : [module]));
  return [
    `import { ${imports.join(", ")} } from "darwinian-minds/hook-policy/astrid";`,
    ...modules.map(({ file, constant }) => `import { ${constant} } from "./${file}";`),
    "",
    ...(links.length === 1
      ? links.flatMap((link) => inCall(linesOf(link)))
      : ["export default astridHook(", ...links.flatMap((link) => inList(linesOf(link))), ");"]),
    "",
  ].join("\n");
}

function inCall(lines: readonly string[]): string[] {
  return ["export default astridHook({", ...lines.map((line) => `  ${line}`), "});"];
}

function inList(lines: readonly string[]): string[] {
  return ["  {", ...lines.map((line) => `    ${line}`), "  },"];
}

function linesOf({ title, hook, module }: CardLink): string[] {
  const { handler, matcher } = hook;
  return [
    `name: ${literal(title)},`,
    `event: ${literal(hook.event)},`,
    ...(matcher === null ? [] : [`matcher: ${object(matcher)},`]),
    `handler: ${handler.type}(${object(partsOf(handler), module?.constant)}),`,
    ...(hook.failAction === DEFAULTS.failAction ? [] : [`failAction: ${literal(hook.failAction)},`]),
    ...(hook.timeoutSecs === DEFAULTS.timeoutSecs ? [] : [`timeoutSecs: ${hook.timeoutSecs},`]),
  ];
}

export function emitModule({ bytes, constant }: ModuleFile): string {
  const text = Buffer.from(bytes).toString("base64");
  const lines = text.match(/.{1,100}/gu) ?? [];
  return `/** The Extism module, in base64. */\nexport const ${constant} =\n${lines.map((line) => `  "${line}"`).join(" +\n") || '  ""'};\n`;
}

export function emitReadme(name: string, hooks: readonly Hook[]): string {
  const titles = hooks.map((hook) => clean(hookTitle(hook), 80)).join(", ");
  const said = hooks.map((hook) => {
    const [about = ""] = (hook.description ?? "").split("\n");
    const rest = about === "" ? "" : ` ${clean(about, 200).replaceAll("`", "")}`;
    return `Imported from a file of Astrid's: asks ${nameOf(hook.handler)} on ${hook.event}.${rest}\n`;
  });
  return `# ${name}: ${titles}\n\n${said.join("\n")}`;
}

export function astridCapabilities(hooks: readonly Hook[]): Capability[] {
  const needed = hooks.flatMap(({ handler: { type } }): Capability[] =>
    type === "command" ? ["env", "exec"] : [type === "http" ? "net" : "wasm"],
  );
  return [...new Set(needed)].sort();
}

/** Marks a place for code, as opposed to text. */
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

function object(fields: Readonly<Record<string, unknown>>, code = ""): string {
  const parts = Object.entries(fields).map(([key, value]) => `${key}: ${value === CODE ? code : literal(value)}`);
  return `{ ${parts.join(", ")} }`;
}

function nameOf(handler: HookHandler): string {
  if (handler.type === "command") return `the program \`${clean(handler.command, 80).replaceAll("`", "")}\``;
  if (handler.type === "http") return `the server ${clean(new URL(handler.url).host, 80)}`;
  return "an Extism module";
}
