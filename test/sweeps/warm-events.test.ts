import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import type { HookPhase } from "../../src/wiring/launcher.ts";
import { setWarm } from "../../src/wiring/waiting.ts";
import { type ArmedHome, armHome, type LiteralPolicy } from "../support/armed-home.ts";
import type { CallOptions, HookResult } from "../support/hook-calls.ts";
import { armWarmHome, nextWaiting, startCall, timeless } from "../support/warm-homes.ts";

const EVENTS = Number(process.env["DRWN_SWEEP_EVENTS"] ?? (process.env["DRWN_SWEEP_SEED"] ? 60 : 10_000));
const SEED = Number(process.env["DRWN_SWEEP_SEED"] ?? Date.now());
/** A pair of homes for each, all at the same time: most of an event's time is spent waiting. */
const LANES = ["claude-code", "codex", "claude-code", "codex"] as const;
const EVENTS_OF_A_LANE = Math.ceil(EVENTS / LANES.length);
const MOMENTS = ["prompt.submit", "session.start", "turn.stop", "approval.before", "compact.before"] as const;
const NAMES: Partial<Record<HookPhase, string>> = {
  pre: "PreToolUse",
  post: "PostToolUse",
  "prompt.submit": "UserPromptSubmit",
  "session.start": "SessionStart",
  "turn.stop": "Stop",
  "approval.before": "PermissionRequest",
  "compact.before": "PreCompact",
};

/** An event's answer depends only on its text: every answer that a policy can give, and every way to give none. */
const moody = (name: string): string => `(() => {
  const moods = [
    () => undefined,
    () => undefined,
    (text) => ({ action: "deny", reason: "${name}: " + text }),
    (text) => ({ action: "reject", reason: "${name}: " + text }),
    (text) => ({ action: "ask", reason: "sure? " + text }),
    (text) => ({ action: "proceed", additionalContext: text }),
    (text) => ({ action: "allow", updatedInput: { command: text + " # ${name}" } }),
    (text) => ({ action: "allow", additionalContext: text }),
    () => ({ action: "nonsense" }),
    (text) => { throw new Error(text); },
    async (text) => ({ action: "deny", reason: await text }),
  ];
  const judge = (event) => {
    const text = JSON.stringify(event.input ?? event) ?? "";
    let sum = ${name.length};
    for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) % 9973;
    console.log(sum);
    return moods[sum % moods.length](text.slice(0, 300));
  };
  return { beforeToolCall: judge, afterToolCall: judge, run: judge };
})()`;
const POLICIES: LiteralPolicy[] = [
  { policy: moody("guard"), phases: ["pre-tool", "post-tool"] },
  { policy: moody("observer"), kind: "observer", phases: ["pre-tool", "post-tool"] },
  { policy: moody("of a shell"), match: "^(?:Bash|shell|exec_command)$", askFallback: "deny" },
  ...MOMENTS.map((moment) => ({ policy: moody(moment), phases: [moment as "notify"] })),
];

const text = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  { weight: 6, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40_000, size: "max" }) },
);
const input = fc.oneof(
  { weight: 6, arbitrary: fc.record({ command: text }) },
  { weight: 2, arbitrary: fc.record({ file_path: text, content: text }) },
  { weight: 2, arbitrary: fc.jsonValue() },
);
const event = fc.record(
  {
    session_id: fc.constantFrom("one", "two", ""),
    cwd: fc.constantFrom("/", "/tmp"),
    tool_name: fc.oneof(fc.constantFrom("Bash", "Read", "Write", "shell", "apply_patch", "mcp__a__b"), text),
    tool_input: input,
    tool_use_id: fc.constantFrom("call-1", "call-2", "call-3"),
    tool_response: fc.jsonValue(),
    prompt: text,
    source: fc.constantFrom("startup", "resume"),
    trigger: fc.constantFrom("manual", "auto"),
    stop_hook_active: fc.boolean(),
  },
  { requiredKeys: ["tool_name", "tool_input"] },
);
const phase: fc.Arbitrary<HookPhase> = fc.oneof(
  { weight: 5, arbitrary: fc.constant("pre" as const) },
  { weight: 2, arbitrary: fc.constant("post" as const) },
  { weight: 3, arbitrary: fc.constantFrom(...MOMENTS) },
);
const name = (when: HookPhase) =>
  fc.oneof(
    { weight: 19, arbitrary: fc.constant(NAMES[when]) },
    { weight: 1, arbitrary: fc.constantFrom("PreCompact", "") },
  );
/** Most are whole; the others end somewhere, have something after them, or aren't even text. */
const damage = (whole: string) =>
  fc.oneof(
    { weight: 16, arbitrary: fc.constant(Buffer.from(whole)) },
    { weight: 1, arbitrary: fc.nat(whole.length - 1).map((end) => Buffer.from(whole.slice(0, end))) },
    {
      weight: 2,
      arbitrary: fc.constantFrom("\n", "\n\n", " {}", "\0", "\n}").map((more) => Buffer.from(whole + more)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  );
const call = phase.chain((when) =>
  fc.tuple(
    fc.constant(when),
    fc.tuple(name(when), event).chain(([hook_event_name, one]) => damage(JSON.stringify({ hook_event_name, ...one }))),
  ),
);

/** The same words for both homes. */
const told = ({ world }: ArmedHome, { status, stdout, stderr }: HookResult): unknown => ({
  status,
  stdout: stdout.replaceAll(world, "~"),
  stderr: stderr.replaceAll(world, "~"),
});
const records = (armed: ArmedHome): unknown => {
  const journal = armed.journal();
  // An earlier call is named by its hash, which depends on its time.
  const placeOf = (id: unknown): number => journal.findIndex(({ hash }) => `${hash}`.includes(`${id}`));
  const lines = journal.map((line) => ({ ...line, overruled: line["overruled"] && placeOf(line["overruled"]) }));
  return {
    journal: lines.map((line) => JSON.stringify(timeless(line)).replaceAll(armed.world, "~")),
    denied: fs.existsSync(layout.denied(armed.home, armed.key)),
  };
};

test.concurrent.each(LANES.map((runtime, lane) => ({ runtime, seed: SEED + lane })))(
  `${EVENTS_OF_A_LANE} random events of $runtime get the same on both paths, byte for byte, of seed $seed`,
  async ({ runtime, seed }) => {
    const [cold, warm] = [armHome(POLICIES), armWarmHome(POLICIES)];
    const first: CallOptions = { runtime, phase: "pre" };
    for (const home of [cold, warm]) await startCall(home, {}, first);
    const waiting: number[] = [];
    const calls = fc.sample(call, { seed, numRuns: EVENTS_OF_A_LANE });
    for (const [at, [when, bytes]] of calls.entries()) {
      waiting.push((await nextWaiting(warm)).pid);
      const options: CallOptions = { runtime, phase: when, input: bytes };
      const [started, waited] = await Promise.all([startCall(cold, {}, options), startCall(warm, {}, options)]);
      expect(told(warm, waited), `seed ${seed}, event ${at}`).toEqual(told(cold, started));
    }
    expect(records(warm)).toEqual(records(cold));
    const answered = new Set(warm.journal().map(({ pid }) => pid));
    const used = waiting.filter((pid) => answered.has(pid)).length;
    // No line of theirs has what is too large, or what nobody may decide.
    expect(used).toBeGreaterThan(EVENTS_OF_A_LANE / 2);
    setWarm(warm.home, false);
  },
  36_000_000,
);
