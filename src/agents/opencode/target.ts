import fs from "node:fs";
import path from "node:path";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { type Change, planFile, readTarget } from "../../materialize/changes.ts";
import { findInside, requireInside } from "../../materialize/targets/place.ts";
import type { AgentPlace, HooksRequest, PlannedHooks, Target } from "../target.ts";
import { opencode } from "./adapter.ts";
import { runOpencodeLive } from "./live.ts";
import { PLUGIN_HEAD, printPlugin } from "./plugin.ts";

export const opencodeTarget: Target = {
  runtime: "opencode",
  tools: [...Object.entries(opencode.canonicalTools).flat(), "apply_patch", "codesearch", "lsp", "patch", "question"],
  isInUse: ({ host, root }) =>
    [configFolder(host), path.join(root, ".opencode"), path.join(root, "opencode.json")].some((file) =>
      fs.existsSync(file),
    ),
  planHooks,
  skillsFolder: (root) => path.join(root, ".agents", "skills"),
  // What it knows of servers stands in a file with comments, in which drwn does not write.
  planServers: () => null,
  check: async ({ host, file }) => (host.env["OPENCODE_PURE"] ? [notLoaded(file)] : []),
  live: { run: runOpencodeLive },
  canaryCall: (root, tool, { input, phase } = { input: {}, phase: "pre-tool" }) => ({
    event: {
      event: phase === "pre-tool" ? "tool.execute.before" : "tool.execute.after",
      tool,
      args: input,
      ...(phase === "pre-tool" ? {} : { output: { title: "", output: "", metadata: {} } }),
      directory: root,
      sessionID: "drwn-doctor",
    },
    env: { CLAUDE_PROJECT_DIR: root },
  }),
};

/** `$XDG_CONFIG_HOME/opencode`, else `~/.config/opencode`. */
function configFolder({ env, home }: AgentPlace["host"]): string {
  return path.join(path.resolve(home, env["XDG_CONFIG_HOME"] || ".config"), "opencode");
}

/** A plugin of the user, which OpenCode loads by itself. A file of others in its place is left alone. */
function planHooks({ host, own, others }: HooksRequest): PlannedHooks {
  const file = path.join(configFolder(host), "plugins", "drwn.js");
  const isWanted = own.length > 0 || others.length > 0;
  const isOurs = readTarget(file)?.toString("utf8").startsWith(PLUGIN_HEAD) ?? true;
  if (!isOurs && isWanted) {
    throw new Problem("DRWN_TARGET_OCCUPIED", `${clean(file)} was not made by drwn`, {
      hint: "move it away, then run the command again",
    });
  }
  const changes: Change[] = [];
  if (isOurs) {
    const root = path.relative(host.home, file).startsWith("..") ? path.dirname(file) : host.home;
    const target = isWanted ? requireInside({ root, file }) : findInside({ root, file });
    const after = isWanted ? Buffer.from(printPlugin(host.drwnHome)) : null;
    const change =
      target === undefined ? target : planFile({ path: target, after, what: "plugin for OpenCode", mode: 0o600 });
    if (change !== undefined) changes.push(change);
  }
  return { file, changes, origins: new Map() };
}

function notLoaded(file: string) {
  const message = "`OPENCODE_PURE` keeps OpenCode from loading plugins, and with them the hook of drwn";
  return { code: "hooks-disabled", severity: "error", subject: file, message, hint: "unset OPENCODE_PURE" } as const;
}
