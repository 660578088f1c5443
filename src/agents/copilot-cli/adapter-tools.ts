export const CANONICAL_TOOLS: Readonly<Record<string, string>> = {
  bash: "Bash",
  create: "Write",
  edit: "Edit",
  glob: "Glob",
  grep: "Grep",
  skill: "Skill",
  task: "Agent",
  view: "Read",
  web_fetch: "WebFetch",
  web_search: "WebSearch",
};
