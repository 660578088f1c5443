import path from "node:path";
import { drwn } from "../../kernel/advice.ts";
import type { Finding } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { isHookCommand } from "../../wiring/launcher.ts";
import { checkPreloads } from "../../wiring/program-version.ts";
import type { AgentContext } from "../../wiring/target.ts";
import { claudeProjectSettingsFile, claudeSettingsFile } from "./paths.ts";
import { type ClaudeSettings, findMinimal, inspectClaudeSettings, SHELL_PREFIX } from "./read-settings.ts";

interface SettingsRequest extends AgentContext {
  /** The file that holds the hook. */
  settingsFile: string;
}

/** Finds what in Claude Code's settings keeps hooks from running, reading them as Claude Code does. */
export function checkClaudeSettings({ host, root, settingsFile }: SettingsRequest): Finding[] {
  const files = [
    claudeSettingsFile(host),
    path.join(root, ".claude", "settings.json"),
    path.join(root, ".claude", "settings.local.json"),
  ];
  const isOfProject = settingsFile === claudeProjectSettingsFile(root);
  const ofFiles = files.flatMap((file) => {
    const settings = inspectClaudeSettings({ file, isOurs: (command) => isHookCommand(command, host.drwnHome) });
    const isUsers = file === claudeSettingsFile(host);
    return [
      ...checkSwitches(file, settings),
      ...(isOfProject ? checkPrefix(file, settings.shellPrefix, isUsers) : []),
      ...(isUsers ? checkMinimal(file, settings.minimalBy) : []),
      ...(isUsers ? checkPreloads(file, (name) => settings.env[name]) : []),
    ];
  });
  const found = [
    ...ofFiles,
    ...checkMinimal(
      ENVIRONMENT,
      findMinimal((name) => host.env[name]),
    ),
  ];
  if (!isOfProject) return found;
  return [...found, ...checkPrefix(ENVIRONMENT, host.env[SHELL_PREFIX] || null, true), startFolder(settingsFile, root)];
}

const ENVIRONMENT = "the environment";

/** Measured with Claude Code 2.1.329: started in a subfolder, it ran no hook of the project's settings. */
function startFolder(file: string, root: string): Finding {
  const message = `Claude Code reads this file only when it is started in ${root}: a session started in a folder below runs without these policies`;
  return { code: "start-folder", severity: "warning", subject: file, message, hint: drwn("write", "--no-project") };
}

function checkSwitches(file: string, { disablesAllHooks, unreadable }: ClaudeSettings): Finding[] {
  if (unreadable !== null) {
    return [error("settings-unreadable", file, unreadable, `correct ${file}`)];
  }
  if (!disablesAllHooks) return [];
  return [
    error(
      "hooks-disabled",
      file,
      "`disableAllHooks` keeps Claude Code from running any hook",
      `take disableAllHooks out of ${file}`,
    ),
  ];
}

/**
 * Measured with Claude Code 2.1.329: it puts the prefix before a line for a shell, which only a project's entry is, and also
 * obeys that of a cloned repository. Users may have a reason for their own prefix, which nobody else can judge.
 */
function checkPrefix(place: string, prefix: string | null, isWanted: boolean): Finding[] {
  if (prefix === null) return [];
  const message = `${SHELL_PREFIX} makes Claude Code start \`${clean(prefix, 80)}\` instead of every hook: that program decides whether drwn is asked`;
  const found = error("hooks-prefixed", place, message, `take ${SHELL_PREFIX} out of ${place}`);
  return [isWanted ? { ...found, severity: "warning" } : found];
}

/** Measured with Claude Code 2.1.329, which ignores these variables in a project's settings. */
export function checkMinimal(place: string, name: string | null): Finding[] {
  if (name === null) return [];
  const message = `${name} makes Claude Code start without any hooks`;
  return [error("hooks-disabled", place, message, `take ${name} out of ${place}`)];
}

function error(code: string, subject: string, message: string, hint: string): Finding {
  return { code, severity: "error", subject, message, hint };
}
