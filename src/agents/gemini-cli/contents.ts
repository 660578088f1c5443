import type { ServerResponse } from "node:http";
import { isObject } from "../../wiring/json-file.ts";
import { type ModelProtocol, type ModelRequest, sendData, sendJson } from "../live/scripted-model.ts";

/** The part of Google's GenAI API that Gemini CLI needs for one turn. */
export const CONTENTS: ModelProtocol = { route: /:(?:streamGenerateContent|generateContent)(?:\?|$)/u, answer };

function answer(response: ServerResponse, { url, body, commands }: ModelRequest): void {
  const played = countCalls(body["contents"]);
  // A request without tools only routes or sums up; it isn't a step.
  const command = Array.isArray(body["tools"]) && body["tools"].length > 0 ? commands[played] : undefined;
  const value = {
    candidates: [{ content: { role: "model", parts: [partOf(command, played)] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
  if (url.includes(":streamGenerateContent")) sendData(response, [value]);
  else sendJson(response, 200, value);
}

function partOf(command: string | undefined, played: number): object {
  if (command === undefined) return { text: "done" };
  const args = { command, description: "a test of drwn" };
  return { functionCall: { id: `call_drwn_${played + 1}`, name: "run_shell_command", args } };
}

function countCalls(contents: unknown): number {
  if (!Array.isArray(contents)) return 0;
  const parts = contents.flatMap((content: unknown) =>
    isObject(content) && Array.isArray(content["parts"]) ? content["parts"] : [],
  );
  return parts.filter((part: unknown) => isObject(part) && isObject(part["functionCall"])).length;
}
