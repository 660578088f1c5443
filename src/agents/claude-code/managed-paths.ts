import path from "node:path";

/** Where the machine's owner keeps settings that users cannot change, including places that drwn cannot read. */
export interface ManagedPaths {
  /** JSON settings files. */
  files: readonly string[];
  /** Folders with more settings files. */
  folders: readonly string[];
  /** Files in a format that drwn doesn't read. If one exists, nobody knows what it says. */
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

/** Claude Code's documentation says that device management puts profiles there. Not tried, for lack of a Mac. */
const PROFILE = "com.anthropic.claudecode.plist";
const PROFILES = "/Library/Managed Preferences";

interface Machine {
  platform: NodeJS.Platform;
  user: string | undefined;
  /** Where Claude Code keeps the user's files. */
  configFolder: string;
}

export function managedPaths({ platform, user, configFolder }: Machine): ManagedPaths {
  // What a server sent for the user's organisation. Claude Code asks again when it starts.
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
