import { formatToml } from "../../../format/toml.ts";
import type { Hook, HookHandler } from "../words/hook.ts";

/** The text of a HOOK.toml, with an id: Astrid itself takes no file without one. */
export function formatHook(hook: Hook): string {
  const { id, name, description, event, matcher, handler, priority, enabled } = hook;
  return formatToml({
    id,
    ...(name === null ? {} : { name }),
    ...(description === null ? {} : { description }),
    event,
    timeout_secs: hook.timeoutSecs,
    fail_action: hook.failAction,
    async_mode: hook.asyncMode,
    enabled,
    priority,
    ...(matcher === null ? {} : { matcher }),
    handler: tableOf(handler),
  });
}

function tableOf(handler: HookHandler): Record<string, unknown> {
  if (handler.type === "wasm") {
    return { type: handler.type, module_path: handler.modulePath, function: handler.function };
  }
  if (handler.type === "command") {
    const { type, command, args, env, workingDir } = handler;
    return { type, command, args, env, ...(workingDir === null ? {} : { working_dir: workingDir }) };
  }
  const { type, url, method, headers, bodyTemplate } = handler;
  return { type, url, method, headers, ...(bodyTemplate === null ? {} : { body_template: bodyTemplate }) };
}
