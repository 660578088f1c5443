import { removeIfEmpty, removeValue, setValue } from "../../format/set-value.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Manifest } from "../manifest.ts";
import { parseServerName } from "../name.ts";
import type { Server } from "../server.ts";
import { type ChangeOptions, carryOut, planManifestEdit, type SourceChange } from "./change.ts";
import { readManifest } from "./source.ts";

interface NewServer extends ChangeOptions {
  name: string;
  server: Server;
}

/** Adds an MCP server to the manifest. */
export function addServer(dir: string, { name, server, ...options }: NewServer): SourceChange[] {
  const serverName = parseServerName(name);
  const manifest = readManifest(dir);
  if (hasServer(manifest, serverName)) {
    throw new Problem("DRWN_SERVER_EXISTS", `${manifest.name} has the MCP server \`${serverName}\` already`);
  }
  return carryOut(
    planManifestEdit(dir, (text) => setValue(text, ["servers", serverName], server)),
    options,
  );
}

export function removeServer(dir: string, name: string, options: ChangeOptions = {}): SourceChange[] {
  const serverName = parseServerName(name);
  const manifest = readManifest(dir);
  if (!hasServer(manifest, serverName)) {
    throw new Problem("DRWN_SERVER_MISSING", `${manifest.name} has no MCP server \`${serverName}\``, {
      details: [`it has: ${Object.keys(manifest.servers ?? {}).join(", ") || "none"}`],
    });
  }
  return carryOut(
    planManifestEdit(dir, (text) => removeIfEmpty(removeValue(text, ["servers", serverName]), ["servers"])),
    options,
  );
}

function hasServer({ servers = {} }: Manifest, name: string): boolean {
  return Object.hasOwn(servers, name);
}
