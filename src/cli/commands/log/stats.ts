import type { Host } from "../../../kernel/host.ts";
import { plural } from "../../../kernel/text.ts";
import { summarizeLog } from "../../../operations/log.ts";
import { CALL_FILTER_FLAGS } from "../../call-filter-flags.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { renderTable } from "../../render/table.ts";

const HEADINGS = ["policy", "kind", "asked", "denies", "asks", "failures", "p50 ms", "p99 ms"];

export default class LogStats extends DrwnCommand {
  static override description = "Count calls, denies, asks and failures, and how long each policy takes.";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --since 7d --json",
  ];
  static override flags = CALL_FILTER_FLAGS;

  protected async answer(host: Host): Promise<Answer> {
    const { flags } = await this.parse(LogStats);
    const figures = summarizeLog(host, flags);
    return {
      json: figures,
      print: ({ out }) => {
        const { calls, denies, asks, failures, p50, p99, policies } = figures;
        const counts = `${plural(denies, "deny", "denies")}, ${plural(asks, "ask")}, ${plural(failures, "failure")}`;
        out(`${plural(calls, "call")}: ${counts}; p50 ${p50} ms, p99 ${p99} ms`);
        const rows = policies.map((policy) => [
          policy.policy,
          policy.kind,
          ...[policy.asked, policy.denies, policy.asks, policy.failures, policy.p50, policy.p99].map(String),
        ]);
        for (const line of renderTable(HEADINGS, rows)) out(line);
      },
    };
  }
}
