import path from "node:path";
import { type PluginAgent, planAgentPlugin, pluginFile } from "../../wiring/plugin.ts";
import { checkProgramVersion } from "../../wiring/program-version.ts";
import type { Target } from "../../wiring/target.ts";
import { judgeEvents, judgeTools } from "../../wiring/tool-effects.ts";
import { pi, piLifecycle } from "./adapter.ts";
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
  events: judgeEvents(piLifecycle, ["tool_call"], {
    "nothing: it only reports": [
      ...[
        "after_provider_response",
        "agent_end",
        "agent_settled",
        "agent_start",
        "mcp_servers_change",
        "message_start",
      ],
      ...["message_update", "model_select", "provider_stream_event", "session_compact_failed", "session_info_changed"],
      ...[
        "session_tree",
        "thinking_level_select",
        "tool_execution_end",
        "tool_execution_start",
        "tool_execution_update",
      ],
      ...["turn_start", "ui_prompt_end", "ui_prompt_start"],
    ],
    "nothing: it changes what the model is sent": [
      ...[
        "before_agent_start",
        "before_provider_headers",
        "before_provider_request",
        "cache_warming_decision",
        "context",
      ],
      "context_with_system",
    ],
    "nothing: it changes what was said": ["message_end", "turn_end"],
    "nothing: it is about a person's own move": [
      "session_before_fork",
      "session_before_switch",
      "session_before_tree",
      "user_bash",
    ],
    "nothing: it decides what of a project or an extension is loaded": ["project_trust", "resources_discover"],
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
