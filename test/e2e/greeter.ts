import fs from "node:fs";
import path from "node:path";
import { drwn } from "./drwn.ts";
import type { World } from "./world.ts";

/** A card `@me/tools` with an MCP server `greeter`, in a new project. */
export async function addServer(world: World): Promise<void> {
  await drwn(world, "init");
  await addServerHere(world);
}

/** The same in an existing project. */
export async function addServerHere(world: World): Promise<void> {
  const source = path.join(world.folder, "sources", "tools");
  const program = path.join(world.folder, "server.mjs");
  fs.writeFileSync(program, SERVER);
  const command = ["--command", process.execPath, "--", program, markOf(world)];
  await drwn(world, "card", "new", "@me/tools", "--into", path.dirname(source));
  await drwn(world, "card", "source", "add", "mcp", source, "greeter", ...command);
  await drwn(world, "card", "publish", source);
  await drwn(world, "add", "@me/tools");
}

/** Whether somebody has started the server since the last question. */
export function wasStarted(world: World): boolean {
  const isThere = fs.existsSync(markOf(world));
  fs.rmSync(markOf(world), { force: true });
  return isThere;
}

function markOf(world: World): string {
  return path.join(world.folder, "started");
}

/** An MCP server with one tool, and one resource: every file. */
export const SERVER = `import fs from "node:fs";
import readline from "node:readline";

fs.writeFileSync(process.argv[2], "");
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
const tools = [{ name: "say_hello", description: "says hello", inputSchema: { type: "object", properties: {} } }];
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    say(id, { protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: "greeter", version: "1" } });
  } else if (method === "tools/list") say(id, { tools });
  else if (method === "resources/list") say(id, { resources: [] });
  else if (method === "resources/read") say(id, { contents: [{ uri: params.uri, text: "TOKEN=the-secret" }] });
  else if (id !== undefined) say(id, {});
});
`;
