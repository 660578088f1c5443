import { Problem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import { idFor } from "../hook/emit.ts";
import { type AstridEvent, DEFAULTS, type FailAction, type Hook, type HookMatcher } from "../words/hook.ts";

/** The sets of hooks that come with Astrid. */
export const PROFILES = ["minimal", "logging", "security", "development"] as const;
export type ProfileName = (typeof PROFILES)[number];

interface Part {
  name: string;
  event: AstridEvent;
  /** A script for sh. */
  script: string;
  failAction: FailAction;
  matcher?: HookMatcher;
  timeoutSecs?: number;
}

const DANGEROUS = ["rm", "sudo", "chmod", "chown", "mkfs", "dd"];
const TO_LOG = `>> "\${TMPDIR:-/tmp}/astrid-debug.log"`;

const PARTS: Readonly<Record<ProfileName, readonly Part[]>> = {
  minimal: [],
  logging: [
    {
      name: "log-session-start",
      event: "session_start",
      script: 'echo "[ASTRID] session $ASTRID_SESSION_ID started"',
      failAction: "ignore",
    },
    {
      name: "log-session-end",
      event: "session_end",
      script: 'echo "[ASTRID] session $ASTRID_SESSION_ID ended"',
      failAction: "ignore",
    },
    {
      name: "log-tool-call",
      event: "pre_tool_call",
      script: 'echo "[ASTRID] $ASTRID_HOOK_DATA"',
      failAction: "ignore",
    },
  ],
  security: [
    {
      name: "block-dangerous-tools",
      event: "pre_tool_call",
      script: "echo 'block: this tool is too dangerous to be called here'",
      failAction: "block",
      matcher: { type: "tool_names", names: DANGEROUS },
      timeoutSecs: 5,
    },
  ],
  development: [
    {
      name: "debug-tool-calls",
      event: "pre_tool_call",
      script: `echo "$(date) call $ASTRID_HOOK_DATA" ${TO_LOG}`,
      failAction: "ignore",
    },
    {
      name: "debug-tool-errors",
      event: "tool_error",
      script: `echo "$(date) error $ASTRID_HOOK_DATA" ${TO_LOG}`,
      failAction: "ignore",
    },
  ],
};

/** The hooks of a profile. Refuses an unknown name. */
export function profileHooks(name: string): Hook[] {
  const profile = PROFILES.find((one) => one === name);
  if (profile !== undefined) return PARTS[profile].map((part) => hookOf(profile, part));
  throw new Problem("DRWN_POLICIES_UNREADABLE", `Astrid has no profile ${clean(name, 80)}`, {
    hint: `there are ${PROFILES.join(", ")}`,
  });
}

function hookOf(profile: ProfileName, { name, event, script, failAction, matcher, timeoutSecs }: Part): Hook {
  return {
    id: idFor(`profile ${profile}\n${name}`),
    name,
    description: `Of Astrid's profile ${profile}.`,
    event,
    matcher: matcher ?? null,
    handler: { type: "command", command: "sh", args: ["-c", script], env: {}, workingDir: null },
    timeoutSecs: timeoutSecs ?? DEFAULTS.timeoutSecs,
    failAction,
    asyncMode: failAction === "ignore",
    enabled: true,
    priority: DEFAULTS.priority,
  };
}
