import path from "node:path";

/** Where the machine's owner tells Codex what its users cannot change. On macOS profiles of a device management may say more. */
export const CODEX_MACHINE = "/etc/codex";

/** What holds over every configuration. */
export function requirementsFile(machine = CODEX_MACHINE): string {
  return path.join(machine, "requirements.toml");
}

/** The owner's configurations: of the first a user may say otherwise, of the second not. */
export function machineConfigFiles(machine = CODEX_MACHINE): string[] {
  return ["config.toml", "managed_config.toml"].map((name) => path.join(machine, name));
}
