import { targetOfFork } from "../opencode/target.ts";
import { kilo } from "./adapter/kilo-calls.ts";
import { kiloConfigFolder } from "./paths.ts";

/** Kilo's command line, a fork of OpenCode. */
export const kiloTarget = targetOfFork({
  adapter: kilo,
  program: { title: "Kilo", program: "kilo", from: "@kilocode/cli", tried: "7.7.9" },
  tools: [
    // Files, and questions to a person.
    ...["apply_patch", "codesearch", "lsp", "patch", "question"],
    // They resume the session with a prompt later, and its calls come to the hook.
    ...["schedule_wakeup", "cancel_wakeup", "cron_create", "cron_delete", "cron_list", "goal"],
    // Notes between agents, past sessions of the project, and a link to a pull request.
    ...["board_post", "board_read", "kilo_local_recall", "link_pr"],
  ],
  configFolder: kiloConfigFolder,
  settings: "kilo.json",
  projectFolders: [".kilo", ".kilocode", ".opencode"],
  pure: "KILO_PURE",
});
