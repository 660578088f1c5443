import type { EventView } from "../../../hot/adapter/adapter.ts";
import { fileOfUri, textViews } from "../../../hot/adapter/views.ts";
import { isRecord } from "../../../hot/shape.ts";

type Input = Readonly<Record<string, unknown>>;

/** What Claude Code's own MCP servers do as `Bash` and `WebFetch` do. */
const SAME: Readonly<Record<string, string>> = {
  mcp__workspace__bash: "Bash",
  mcp__workspace__web_fetch: "WebFetch",
};

/** Tools that run a text which isn't for a POSIX shell, and what reads it. */
const RUNNERS: Readonly<Record<string, string>> = {
  Eval: "javascript",
  JavaScript: "javascript",
  mcp__ide__executeCode: "python",
  PowerShell: "powershell",
  REPL: "javascript",
  Tmux: "tmux",
};

/**
 * The canonical name of a tool: by what the call does, since Claude Code calls its shell `Monitor`, too. It tells a hook
 * of `Monitor` as `Bash` only if the entry's matcher fits the one and not the other.
 */
export function claudeCanonicalName(tool: string, input: unknown): string {
  if (tool === "Monitor") return isRecord(input) && typeof input["command"] === "string" ? "Bash" : tool;
  return Object.hasOwn(SAME, tool) ? String(SAME[tool]) : tool;
}

/** What a call does besides, or under a name that no other agent has, as calls of the common tools. */
export function claudeViews(tool: string, input: Input): EventView[] {
  if (Object.hasOwn(RUNNERS, tool)) return [commandView(textToRun(input), RUNNERS[tool])];
  switch (tool) {
    case "Monitor":
      return isRecord(input["ws"]) && "url" in input["ws"] ? textViews("WebFetch", "url", [input["ws"]["url"]]) : [];
    case "NotebookEdit":
      return editViews(input["notebook_path"], [{ new_string: input["new_source"] }]);
    case "MultiEdit":
      return editViews(input["file_path"], Array.isArray(input["edits"]) ? input["edits"] : []);
    // These show or send a file to somebody.
    case "Artifact":
    case "LSP":
    case "Projects":
    case "SendUserFile":
      return readViews(input);
    case "ReadMcpResourceTool":
      return textViews("Read", "file_path", [fileOfUri(input["uri"])]);
    // As Copilot CLI calls it: what the model types into a running shell is a command, too.
    case "write_bash":
      return [commandView(input["input"])];
    default:
      return [];
  }
}

function commandView(command: unknown, shell?: string): EventView {
  return { toolName: "Bash", aliases: [], input: { command }, ...(shell === undefined ? {} : { shell }) };
}

/** If the call says it under a name that nobody knows, all of the input is the text. */
function textToRun(input: Input): string {
  for (const field of ["command", "code", "script", "keys", "input"]) {
    const text = input[field];
    if (typeof text === "string") return text;
  }
  return JSON.stringify(input);
}

function editViews(file_path: unknown, edits: readonly unknown[]): EventView[] {
  return edits.map((edit) => {
    const [old_string, new_string] = ["old_string", "new_string"].map((name) => {
      const text = isRecord(edit) ? edit[name] : undefined;
      return typeof text === "string" ? text : "";
    });
    return { toolName: "Edit", aliases: ["Write"], input: { file_path, old_string, new_string } };
  });
}

function readViews(input: Input): EventView[] {
  const { file_path, filePath, local_path, file_paths, files } = input;
  const lists = [file_paths, files].flatMap((list) => (Array.isArray(list) ? list : [list]));
  return textViews("Read", "file_path", [file_path, filePath, local_path, ...lists]);
}
