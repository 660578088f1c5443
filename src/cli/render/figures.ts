import { plural } from "../../kernel/text.ts";
import type { summarizeLog } from "../../operations/diagnose/log.ts";
import type { CommandAnswer } from "../terminal/answer.ts";
import { renderTable } from "./table.ts";

const HEADINGS = ["policy", "kind", "asked", "denies", "asks", "failures", "p50 ms", "p99 ms"];

/** How many calls there were, and how long each policy took. */
export function answerFigures(figures: ReturnType<typeof summarizeLog>): CommandAnswer {
  return {
    json: figures,
    print: ({ out, room }) => {
      const { calls, denies, asks, failures, p50, p99, policies } = figures;
      const counts = `${plural(denies, "deny", "denies")}, ${plural(asks, "ask")}, ${plural(failures, "failure")}`;
      out(`${plural(calls, "call")}: ${counts}; p50 ${p50} ms, p99 ${p99} ms`);
      const rows = policies.map((policy) => [
        policy.policy,
        policy.kind,
        ...[policy.asked, policy.denies, policy.asks, policy.failures, policy.p50, policy.p99].map(String),
      ]);
      for (const line of renderTable(HEADINGS, rows, room)) out(line);
    },
  };
}
