import { clean } from "../../kernel/text.ts";
import type { Explanation, PassedOver } from "../../operations/diagnose/explain.ts";
import type { Console } from "../terminal/console.ts";
import { ruleInWords } from "./call.ts";
import { renderGuarding } from "./guarding.ts";

const LONGEST = 2_000;

export function renderExplanation(
  { guarding, call, passedOver, agent, runtime, phase }: Explanation,
  console: Console,
): void {
  const { out, style } = console;
  for (const line of renderGuarding(guarding, console)) out(line);
  out(style.bold("Policies, in the order in which they were asked"));
  for (const { policy, kind, decision, failure, applied, mode, ms, answer } of call?.policies ?? []) {
    const said = failure === undefined ? (decision ?? "") : `failed: it ${failure}`;
    const weight = mode === undefined || mode === "enforce" ? kind : `${kind}, ${mode}`;
    out(
      `  ${clean(policy, 200)} (${weight}): ${clean(said, LONGEST)}${applied ? "" : ", noted only"}  ${style.dim(`${ms} ms`)}`,
    );
    if (failure === undefined && answer.reason !== "") out(`    reason ${clean(answer.reason, LONGEST)}`);
    if (answer.context !== undefined) out(`    context ${clean(answer.context, LONGEST)}`);
    if (answer.updatedInput !== undefined) out(`    input ${clean(JSON.stringify(answer.updatedInput), LONGEST)}`);
    if (answer.syntheticOutput !== undefined)
      out(`    result ${clean(JSON.stringify(answer.syntheticOutput), LONGEST)}`);
  }
  if ((call?.policies.length ?? 0) === 0) out("  none");
  for (const over of passedOver) out(style.dim(`  ${clean(over.policy, 200)}: not asked, ${WHY[over.why](over)}`));
  out(style.bold("Composition"));
  if (call === null) out("  the hook process did not get to it");
  else {
    const by = call.by === undefined ? "" : ` by ${clean(call.by, 200)}`;
    out(`  ${call.verdict}${by}: ${ruleInWords({ ...call, phase })}`);
    if (call.problem !== undefined) out(`  ${clean(call.problem, LONGEST)}`);
  }
  out(style.bold(`What ${runtime} gets`));
  out(`  exit status ${agent.exitCode ?? "none: it did not end in time"}`);
  out(
    `  stdout, ${Buffer.byteLength(agent.stdout)} bytes${agent.stdout === "" ? "" : `: ${clean(agent.stdout.replace(/\n$/u, ""), 100_000)}`}`,
  );
  out(
    `  stderr, ${Buffer.byteLength(agent.stderr)} bytes${agent.stderr === "" ? "" : `: ${clean(agent.stderr.replace(/\n$/u, ""), LONGEST)}`}`,
  );
}

const WHY: Readonly<Record<PassedOver["why"], (of: PassedOver) => string>> = {
  phase: () => "it is for the other phase",
  matcher: ({ matcher }) => `its matcher ${clean(matcher ?? "*", 200)} does not match`,
  "decided-before": () => "since the call was decided before",
  "not-read": () => "since no event could be read",
};
