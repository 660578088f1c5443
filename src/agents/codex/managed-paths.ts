import path from "node:path";

/**
 * Where the machine's owner keeps settings of Codex that users cannot change. On macOS, device management profiles may
 * say more.
 */
export const CODEX_MACHINE = "/etc/codex";

/** The owner's requirements, which override every configuration. */
export function requirementsFile(machine = CODEX_MACHINE): string {
  return path.join(machine, "requirements.toml");
}

/** The owner's configurations: a user may override the first, but not the second. */
export function machineConfigFiles(machine = CODEX_MACHINE): string[] {
  return ["config.toml", "managed_config.toml"].map((name) => path.join(machine, name));
}
