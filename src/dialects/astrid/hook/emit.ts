import { createHash } from "node:crypto";
import { formatToml } from "../../../kernel/format/toml.ts";
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

/** For the UUIDs of hooks without one. */
const NAMESPACE = Buffer.from("7a1d0f2c5b7e4c6f9d1b3a5c7e9f0b2d", "hex");

/** A UUID of version 5: the same name gives the same one. */
export function idFor(name: string): string {
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/u, "$1-$2-$3-$4-");
}
