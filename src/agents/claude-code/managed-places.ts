import path from "node:path";

/** What the owner of a machine sets and its users cannot: where it stands, and what stands where drwn cannot read it. */
export interface ManagedPlaces {
  /** Settings, as files of JSON. */
  files: readonly string[];
  /** Folders of further files of settings. */
  folders: readonly string[];
  /** Files in a format that drwn does not read: where one is there, nothing is known of what it says. */
  sealed: readonly string[];
}

const FOLDERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  linux: "/etc/claude-code",
};

export function managedFolder(platform: NodeJS.Platform): string | undefined {
  return FOLDERS[platform];
}

export const REMOTE = "remote-settings.json";

/** By Claude Code's documentation: profiles of a device management arrive there. No Mac was at hand to try it. */
const PROFILE = "com.anthropic.claudecode.plist";
const PROFILES = "/Library/Managed Preferences";

interface Machine {
  platform: NodeJS.Platform;
  user: string | undefined;
  /** Where Claude Code keeps what is the user's. */
  configFolder: string;
}

export function managedPlaces({ platform, user, configFolder }: Machine): ManagedPlaces {
  // What a server sent for the user's organisation; Claude Code asks again when it starts.
  const remote = path.join(configFolder, REMOTE);
  const folder = FOLDERS[platform];
  const own = folder === undefined ? [] : [path.join(folder, "managed-settings.json")];
  const profiles = [PROFILES, ...(user === undefined ? [] : [path.join(PROFILES, user)])];
  return {
    files: [...own, remote],
    folders: folder === undefined ? [] : [path.join(folder, "managed-settings.d")],
    sealed: platform === "darwin" ? profiles.map((place) => path.join(place, PROFILE)) : [],
  };
}
