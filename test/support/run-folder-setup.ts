/** Temporary files in memory. Not for e2e: Copilot CLI lets a command work in `/tmp`, and asks a person elsewhere. */
export const RUN_FOLDER = {
  globalSetup: ["test/support/run-folder.ts"],
  setupFiles: ["test/support/setup.ts"],
};
