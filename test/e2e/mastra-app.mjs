// An app with a Mastra agent, as somebody would write it: its workspace has Mastra's own shell, and the guards come from the module
// that `drwn write` made. It takes one turn by the scripted model, and prints how that ended.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createCodeMode, createTool } from "@mastra/core/tools";
import { LocalSandbox, Workspace } from "@mastra/core/workspace";
import { z } from "zod";

const { url, approval, guards = "all", throughSubAgent = false, thenClerk = false } = JSON.parse(process.argv[2]);
const module =
  guards === "package" ? "darwinian-minds/mastra" : new URL(".agents/drwn/mastra.js", import.meta.url).href;
const { hooks, requireToolApproval, withHooks } = guards === "none" ? {} : await import(module);

const told = [];
const model = { id: "mock/m", url: `${url}/v1`, apiKey: "mock" };
const sandbox = new LocalSandbox({
  workingDirectory: process.cwd(),
  env: { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` },
});
const workspace = new Workspace({ sandbox });
const shell = createTool({
  id: "shell",
  description: "runs a command",
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }),
});
const codeMode = createCodeMode({ tools: { shell }, sandbox });
const clerk = new Agent({
  id: "clerk",
  name: "Clerk",
  description: "keeps books",
  instructions: "x",
  model,
  tools: { shell },
  ...(thenClerk ? { hooks, workspace } : {}),
});
const agent = new Agent({
  id: "a",
  name: "A",
  instructions: "x",
  model,
  workspace,
  tools: { shell, execute_typescript: codeMode.tool },
  agents: throughSubAgent ? { clerk } : {},
  ...(hooks === undefined
    ? {}
    : { hooks: guards === "joined" ? withHooks({ afterToolCall: (call) => told.push(call.toolName) }) : hooks }),
  ...(approval === undefined ? {} : { defaultOptions: { requireToolApproval } }),
});
new Mastra({ agents: { a: agent }, storage: new InMemoryStore(), logger: false });

let answer = await agent.generate("go", { maxSteps: 50 });
const asked = answer.finishReason === "suspended";
if (asked) {
  const { runId, suspendPayload } = answer;
  const call = { runId, toolCallId: suspendPayload.toolCallId };
  answer = await (approval === "approve" ? agent.approveToolCallGenerate(call) : agent.declineToolCallGenerate(call));
}
if (thenClerk) answer = await clerk.generate("go");
console.log(JSON.stringify({ asked, text: answer.text, told }));
