import { runProgram } from "./outside/programs.ts";
import { readProjectText } from "./outside/project-texts.ts";
import type { ContextFile, PolicyParts, PromptParts } from "./parts.ts";

/**
 * Refuses a policy that uses capabilities its hook doesn't declare. Returns whether it asks a model or runs a command.
 */
export function requireCapabilities(parts: PolicyParts | PromptParts): boolean {
  const { whenPrompt, inject } = parts;
  const transform = "transform" in parts ? parts.transform : undefined;
  const classifier = typeof whenPrompt === "string" ? undefined : whenPrompt?.model;
  const usesOllama = whenPrompt !== undefined && typeof classifier !== "function";
  const usesClaude = transform !== undefined && typeof transform.model !== "function";
  const runs = [usesOllama && "ollama", usesClaude && "claude", inject?.command !== undefined && "a command"];
  const [program] = runs.filter((name) => name !== false);
  if (program !== undefined && runProgram === undefined) throw undeclared(`runs ${program}`, "exec");
  const path = listInWords(transform?.context ?? inject?.files).find((file) => typeof file === "string");
  if (path !== undefined && readProjectText === undefined) throw undeclared(`reads ${path}`, "fs-read");
  return program !== undefined || typeof classifier === "function" || transform !== undefined;
}

export function listInWords(files: ContextFile | readonly ContextFile[] = []): readonly ContextFile[] {
  return isList(files) ? files : [files];
}

function isList(files: ContextFile | readonly ContextFile[]): files is readonly ContextFile[] {
  return Array.isArray(files);
}

function undeclared(what: string, capability: string): Error {
  return new Error(`it ${what}, and its hook does not declare the capability ${capability}`);
}
