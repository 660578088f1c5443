/** Hooks get the name `Bash` for its shell; the others are what the model calls the same tool. */
export const CODEX_TOOLS: Readonly<Record<string, string>> = {
  exec_command: "Bash",
  local_shell: "Bash",
  shell: "Bash",
  shell_command: "Bash",
};
