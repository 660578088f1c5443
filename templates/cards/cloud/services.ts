import { codeOf, type Step } from "darwinian-minds/hook-policy/helpers";

const CLOUD_LIBRARY = () =>
  /\bboto3\b|\baiobotocore\b|@?aws-sdk\b|\bgoogle\.cloud\b|@google-cloud\/|\bgoogleapiclient\b|\bazure\.(?:mgmt|storage|identity)\b|@azure\/|\bkubernetes\b|\bhcloud\b|\bpydo\b/;
/** One row and one message aren't infrastructure. */
const CLOUD_CALL = () =>
  /\.(?:begin_)?(?:delete|terminate|destroy|purge|deregister|schedule_key_deletion)(?:_(?!item|message)\w+\(|\(\)|(?!Item|Message)[A-Z]\w*\()|\bnew (?:Delete|Terminate|Destroy|Deregister)(?!Item|Message)\w*Command\(/;

/** What code would remove with a cloud's library. */
export function destroyedInCode(step: Step): string | undefined {
  const text = codeOf(step)?.text;
  if (text === undefined || !CLOUD_LIBRARY().test(text) || /\bDryRun["']?\s*[=:]\s*[tT]rue/.test(text))
    return undefined;
  return CLOUD_CALL().exec(text)?.[0].replace(/^\./, "").replace(/\($/, "");
}
