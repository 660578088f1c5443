// __HOOK__: a gate, one of the policies in few words that the helpers are for.
import { matchConstants, policy } from "darwinian-minds/hook-policy/helpers";

export default policy("__HOOK__", {
  // Which calls. `match` takes a regular expression, too; instead of it, `file: ".env"` names a file.
  on: { tool: "Bash", match: matchConstants.git_push_force },

  // What the model is told when the call is denied. Instead of a gate: `transform` or `inject`.
  gate: "Force push is not allowed.",
});
