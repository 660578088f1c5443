import { type HookCase, parseCases, printCase } from "../../card/hooks/cases.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { findCall, type LoggedCall } from "./log.ts";

/** A call of the journal as a case: it expects what the hooks said. */
export function saveCase(host: Host, id: string): { case: HookCase; line: string } {
  const call = findCall(host, id);
  const { phase, runtime, tool, verdict, reason, rewritten } = call;
  const expect = verdict === "allow" && rewritten !== undefined ? "rewrite" : verdict;
  const made = {
    id: call.id,
    ...(phase === "pre-tool" || phase === "post-tool" ? { tool, agent: runtime } : {}),
    ...(phase === "pre-tool" ? {} : { phase }),
    input: inputOf(call),
    expect,
    ...(reason === undefined || reason.endsWith("…") ? {} : { reason }),
  };
  const [read] = parseCases(Buffer.from(JSON.stringify(made)), `the call ${call.id}`);
  if (read === undefined) throw new Error("a case was lost");
  return { case: read, line: printCase(read) };
}

function inputOf({ id, input }: LoggedCall): unknown {
  if (input === undefined) {
    throw new Problem("DRWN_CALL_INVALID", `the journal has no input of the call ${id}`, {
      hint: advise`to keep them from the next call on: ${drwn("log inputs", "keep")}`,
    });
  }
  try {
    return JSON.parse(input);
  } catch (cause) {
    throw new Problem("DRWN_CALL_INVALID", `the journal has only a part of the input of the call ${id}`, { cause });
  }
}
