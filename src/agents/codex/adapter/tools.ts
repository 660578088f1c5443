/** Codex tells hooks of its shell as `Bash`; the model knows the same tool by these names. */
export const CODEX_TOOLS: Readonly<Record<string, string>> = {
  exec_command: "Bash",
  local_shell: "Bash",
  shell: "Bash",
  shell_command: "Bash",
};
