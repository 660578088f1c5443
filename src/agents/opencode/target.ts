import path from "node:path";
import { planDrwnFile } from "../../wiring/drwn-file.ts";
import { missingFolders } from "../../wiring/file-location.ts";
import { checkProgramVersion } from "../../wiring/program-version.ts";
import { planServers } from "../../wiring/servers.ts";
import type { HooksRequest, PlannedHooks, Target } from "../../wiring/target.ts";
import { opencode } from "./adapter/opencode-calls.ts";
import { checkPlugins } from "./check.ts";
import { opencodeConfigFolder } from "./paths.ts";
import { PLUGIN_HEAD, printPlugin } from "./plugin.ts";
import { SWITCH, toOpencodeServers } from "./servers.ts";

const PROGRAM = { title: "OpenCode", program: "opencode", from: "opencode-ai", tried: "1.18.33" };

export const opencodeTarget: Target = {
  runtime: "opencode",
  tools: [...Object.entries(opencode.canonicalTools).flat(), "apply_patch", "codesearch", "lsp", "patch", "question"],
  planHooks,
  skillsFolder: (root) => path.join(root, ".agents", "skills"),
  startsServers: "starts no MCP server before its `enabled` is set to true",
  planServers: ({ servers, ...request }) => {
    const file = path.join(request.root, "opencode.json");
    return planServers({
      ...request,
      extras: "comments and trailing commas",
      servers: toOpencodeServers(servers),
      field: "mcp",
      switch: SWITCH,
      file,
    });
  },
  checkBeside: ({ root }) => checkPlugins(root),
  check: ({ host, file }) => [
    ...(host.env["OPENCODE_PURE"] ? [notLoaded(file)] : []),
    ...checkProgramVersion(PROGRAM, host.env),
  ],
  calls: {
    events: ["tool.execute.before", "tool.execute.after"],
    fields: ({ event, tool, input, root, session }) => ({
      event,
      tool,
      args: input,
      directory: root,
      sessionID: session,
    }),
    result: { output: { title: "", output: "", metadata: {} } },
    rootVariable: "PWD",
  },
};

/** `$XDG_CONFIG_HOME/opencode`, else `~/.config/opencode`. */
/** A plugin in the user's folder, which OpenCode loads by itself. */
function planHooks({ host, own, others, originalOf }: HooksRequest): PlannedHooks {
  const folder = opencodeConfigFolder(host);
  const file = path.join(folder, "plugins", "drwn.js");
  const place = { root: path.relative(host.home, file).startsWith("..") ? path.dirname(file) : host.home, file };
  const changes = planDrwnFile({
    ...place,
    text: own.length > 0 || others.length > 0 ? printPlugin(host.drwnHome, [...own, ...others]) : null,
    isOurs: (text) => text.startsWith(PLUGIN_HEAD),
    what: "plugin for OpenCode",
    mode: 0o600,
    created: originalOf(file)?.folders,
    outermost: folder,
  });
  const isNew = changes.some(({ action }) => action === "create");
  const origin = { containers: {}, folders: missingFolders(place) };
  return { file, changes, originals: new Map(isNew ? [[file, origin]] : []) };
}

function notLoaded(file: string) {
  const message = "`OPENCODE_PURE` keeps OpenCode from loading plugins, and with them drwn's hook";
  return { code: "hooks-disabled", severity: "error", subject: file, message, hint: "unset OPENCODE_PURE" } as const;
}
