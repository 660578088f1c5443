import path from "node:path";
import { type PluginAgent, planAgentPlugin, pluginFile } from "../../wiring/plugin.ts";
import { checkProgramVersion } from "../../wiring/program-version.ts";
import type { Target } from "../../wiring/target.ts";
import { judgeTools } from "../../wiring/tool-effects.ts";
import { pi } from "./adapter/pi-calls.ts";
import { piLifecycle } from "./adapter/pi-lifecycle.ts";
import { checkPi, checkPiProject } from "./check.ts";
import { EXTENSION } from "./extension.ts";
import { piHome } from "./paths.ts";

const PROGRAM = { title: "Pi", program: "pi", from: "@earendil-works/pi-coding-agent", tried: "1.6.0" };

const AGENT: PluginAgent = {
  adapter: pi,
  lifecycle: piLifecycle,
  configFolder: piHome,
  modulesFolder: "extensions",
  what: "extension",
  body: EXTENSION,
};

export const piTarget: Target = {
  runtime: "pi",
  tools: judgeTools(pi.canonicalTools, {
    reads: ["list_mcp_resource_templates"],
    // A script that calls tools, and a search for tools: the hook gets these calls.
    nothing: ["codemode", "tool_search"],
  }),
  planHooks: (request) => planAgentPlugin(AGENT, request),
  skillsFolder: (root) => path.join(root, ".agents", "skills"),
  // A value that begins with `!` would be run as a command.
  planServers: () => null,
  checkBeside: (place) => checkPiProject(place, pluginFile(AGENT, place.host)),
  check: (request) => [...checkPi(request), ...checkProgramVersion(PROGRAM, request.host.env)],
  calls: {
    events: ["tool_call", "tool_result"],
    fields: ({ event, tool, input, root, session }) => ({
      type: event,
      toolName: tool,
      input,
      cwd: root,
      sessionId: session,
    }),
    result: { output: "" },
    rootVariable: "PWD",
  },
};
