import { type CompiledHook, compileHook } from "../../src/card/compiler/compile.ts";
import type { CardFiles } from "../../src/card/files.ts";
import type { Capability } from "../../src/contract/plan.ts";

export const POLICY = `export default { policyKind: "observer", afterToolCall() {} };\n`;
/** The file of the hook that is compiled. */
export const HOOK = "hooks/guard/policy.ts";

export function filesOf(tree: Record<string, string>): CardFiles {
  return new Map(Object.entries(tree).map(([file, text]) => [file, Buffer.from(text)]));
}

export function compile(tree: Record<string, string>, capabilities: Capability[] = []): Promise<CompiledHook> {
  return compileHook({ card: "@me/backend", files: filesOf(tree), hook: "guard", capabilities });
}

/** What the compiled text exports, with a `require` that notes what is asked of it. */
export function load(code: string): { exported: unknown; required: string[] } {
  const required: string[] = [];
  const module = { exports: {} as Record<string, unknown> };
  const requireNoted = (name: string) => {
    required.push(name);
    return { join: (...parts: string[]) => parts.join("/") };
  };
  new Function("module", "exports", "require", code)(module, module.exports, requireNoted);
  return { exported: module.exports["default"], required };
}
