import { OPENCODE_OTHERS, targetOfFork } from "../opencode/target.ts";
import { kilo } from "./adapter.ts";
import { kiloConfigFolder } from "./paths.ts";

/** Kilo's command line, a fork of OpenCode. */
export const kiloTarget = targetOfFork({
  adapter: kilo,
  program: { title: "Kilo", program: "kilo", from: "@kilocode/cli", tried: "7.7.9" },
  tools: {
    ...OPENCODE_OTHERS,
    reads: [...OPENCODE_OTHERS.reads, "send_file"],
    writes: [...OPENCODE_OTHERS.writes, "kilo_memory_save"],
    "uses the network": [...OPENCODE_OTHERS["uses the network"], "browser_open"],
    "speaks with a person": [...OPENCODE_OTHERS["speaks with a person"], "notify_user", "suggest"],
    // They resume the session with a prompt later, and its calls come to the hook.
    "starts an agent": ["agent_manager", "schedule_wakeup", "cron_create", "goal"],
    // Notes between agents, past sessions of the project, and a link to a pull request.
    nothing: [
      ...OPENCODE_OTHERS.nothing,
      ...["agent_manager_models", "cancel_wakeup", "cron_delete", "cron_list", "board_post", "board_read"],
      ...["goal_report", "kilo_local_recall", "kilo_memory_recall", "link_pr"],
    ],
  },
  configFolder: kiloConfigFolder,
  settings: "kilo.json",
  projectFolders: [".kilo", ".kilocode", ".opencode"],
  pure: "KILO_PURE",
});
