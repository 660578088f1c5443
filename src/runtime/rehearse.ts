import { judgeEvent, readEvent } from "./hook.ts";
import type { HookCall } from "./hook-call.ts";
import { closeJournal } from "./journal/journal.ts";
import { type ConfinedStage, setStage } from "./run/stage.ts";
import { readAhead } from "./verify/ahead.ts";
import { judgeLedger } from "./verify/load-state.ts";
import { loadLedger } from "./verify/read-ledger.ts";
import type { LoadedPolicy } from "./verify/shards.ts";

const TOOL = "Bash";

/**
 * Judges a made-up event by a made-up policy, so that V8 has compiled the code that will judge the real call. It throws
 * away everything that it reads: the call reads ledger, plan and policies itself. Returns the stage on which the call's
 * policies will run.
 */
export function rehearse(call: HookCall): ConfinedStage {
  const wanted = { names: [TOOL], phase: "pre-tool" } as const;
  const scopes = call.above === null ? [call.key] : [call.above.key, call.key];
  // This comes before the stage, since digesting a large file needs a module that isn't available on it.
  for (const key of scopes) {
    const place = { home: call.home, key };
    const ledger = loadLedger(place);
    judgeLedger(place, ledger, { now: Date.now(), wanted, ahead: readAhead(place, ledger, wanted.phase) });
  }
  const stage = setStage();
  const end = (): void => {};
  const door: HookCall["door"] = {
    wire: () => SAMPLE,
    answer: (_, journal) => {
      if (journal !== null) closeJournal(journal);
    },
    pass: end,
    complain: end,
  };
  const rehearsed = { ...call, door, stage, plan: "", pause: null, policies: [SILENT] };
  const event = readEvent(rehearsed);
  if (event !== null) judgeEvent(rehearsed, event);
  return stage;
}

const SAMPLE = {
  session_id: "",
  cwd: "/",
  hook_event_name: "PreToolUse",
  tool_name: TOOL,
  tool_input: { command: "ls" },
};

const SILENT: LoadedPolicy = {
  card: "@drwn/rehearsal",
  cardVersion: "0.0.0",
  hook: "silent",
  kind: "enforcement",
  mode: "enforce",
  askFallback: "deny",
  publisher: null,
  match: null,
  matcher: null,
  phases: ["pre-tool"],
  timeoutMs: 1_000,
  capabilities: [],
  bundle: "",
  body: (_, __, module) => {
    Object.assign(module as object, { exports: { default: { beforeToolCall: () => undefined } } });
  },
};
