import { CLAUDE_CALLS } from "../../wiring/canary-call.ts";
import type { HookFormat } from "../../wiring/entries/groups.ts";
import { findOtherHooks } from "../../wiring/entries/other-hooks.ts";
import { type EntryForm, planUserFile } from "../../wiring/entries/plan-entries.ts";
import { checkProgramVersion } from "../../wiring/program-version.ts";
import { planServers } from "../../wiring/servers.ts";
import { AGENT_TIMEOUT_SECONDS, type Target } from "../../wiring/target.ts";
import { judgeEvents, judgeTools } from "../../wiring/tool-effects.ts";
import { geminiSkillsFolder } from "../gemini-cli/paths.ts";
import { toGeminiServers } from "../gemini-cli/target.ts";
import { qwenCode, qwenLifecycle } from "./adapter.ts";
import { checkQwen, QWEN_MINIMAL, qwenProjectSettingsFile, qwenSwitch } from "./check.ts";
import { qwenPlaces } from "./paths.ts";

const PROGRAM = { title: "Qwen Code", program: "qwen", from: "@qwen-code/qwen-code", tried: "0.24.4" };

const omni = (act: string): string => `omni_${act}`;

const QWEN_EVENTS = judgeEvents(qwenLifecycle, ["PreToolUse"]);

/** Qwen Code skips any other name, with a warning. */
const QWEN_FORMAT: HookFormat = {
  events: new Set(Object.keys(QWEN_EVENTS)),
  items: "groups",
  extras: "comments",
  commands: ["command"],
};

const FORM: EntryForm = {
  runtime: "qwen-code",
  toolEvents: { pre: ["PreToolUse"], post: ["PostToolUse", "PostToolUseFailure"] },
  lifecycleAdapter: qwenLifecycle,
  // It takes 1,000 and more for milliseconds, and earlier versions everything.
  toValue: ({ command }) => ({
    hooks: [{ type: "command", name: "drwn", command, timeout: AGENT_TIMEOUT_SECONDS * 1_000 }],
  }),
};

export const qwenCodeTarget: Target = {
  runtime: "qwen-code",
  tools: judgeTools(qwenCode.canonicalTools, {
    // Of its model for sounds and pictures: what is in a file, and files made of parts of one.
    reads: [
      ...["caption_audio", "caption_image", "ocr_image", "recall_media_memory"].map(omni),
      ...["transcribe_audio", "understand_video_segments"].map(omni),
    ],
    writes: [
      ...["enter_worktree", "exit_worktree", "save_memory"],
      ...["clip_audio", "clip_image", "clip_video", "convert_image", "downsample_audio", "downsample_image"].map(omni),
      ...["downscale_video", "extract_audio", "extract_keyframes"].map(omni),
    ],
    "uses the network": ["image_gen"],
    // Now or later: what comes of it makes calls of its own.
    "starts an agent": ["cron_create", "loop_wakeup", "send_message", "team_create", "workflow"],
    "speaks with a person": ["enter_plan_mode", "exit_plan_mode", "propose_goal", "report_findings"],
    nothing: [
      // A program that calls tools, and the envelope of a call to a tool that the model wasn't offered: the hook gets these calls.
      ...["exec", "tool_call", "tool_search"],
      ...["cron_delete", "cron_list", "list_agents", "request_shutdown", "team_delete", "team_plan_approval"],
      ...["task_create", "task_list", "task_stop", "task_update", "get_goal", "update_goal"],
      ...["record_artifact", "record_source", "structured_output"],
    ],
  }),
  events: QWEN_EVENTS,
  variables: {
    title: PROGRAM.title,
    file: /(?:^|\/)(?:\.env|\.qwen\/settings\.json)$/u,
    findSwitch: (file) => (file.endsWith(".json") ? qwenSwitch(file) : null),
    minimal: QWEN_MINIMAL,
    above: ".qwen/.env",
  },
  planHooks: (request) =>
    planUserFile(request, {
      format: QWEN_FORMAT,
      settingsFile: qwenPlaces.entry(request.host),
      form: FORM,
    }),
  skillsFolder: geminiSkillsFolder,
  planServers: ({ servers, ...request }) =>
    planServers({
      ...request,
      extras: "comments",
      servers: toGeminiServers(servers),
      file: qwenProjectSettingsFile(request.root),
    }),
  checkBeside: (place) =>
    findOtherHooks({
      place,
      runtime: "qwen-code",
      title: PROGRAM.title,
      format: QWEN_FORMAT,
      event: "PreToolUse",
      files: [qwenProjectSettingsFile(place.root)],
    }),
  check: (request) => [...checkQwen(request), ...checkProgramVersion(PROGRAM, request.host.env)],
  calls: { ...CLAUDE_CALLS, rootVariable: "QWEN_PROJECT_DIR" },
};
