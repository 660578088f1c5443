import * as Flags from "@oclif/core/flags";
import type { Host } from "../../kernel/host.ts";
import { type LoggedCall, type LogRequest, listCalls, watchCalls } from "../../operations/log.ts";
import { CALL_FILTER_FLAGS } from "../call-filter-flags.ts";
import { type Answer, DrwnCommand } from "../command.ts";
import type { Console } from "../console.ts";
import { describeCall } from "../render/call.ts";

export default class Log extends DrwnCommand {
  static override description = `Show the calls that the hook judged in this project, from the journal.

With \`--json\` the answer is one document. A journal that is followed has no end and so is no document: \`--follow\` goes with
\`--ndjson\`, one JSON document on each line.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --verdict deny --since 2h",
    "<%= config.bin %> <%= command.id %> --card @me/backend --tool 'mcp__*' --json",
    "<%= config.bin %> <%= command.id %> --on prompt.submit --verdict deny",
    "<%= config.bin %> <%= command.id %> --follow --ndjson",
  ];
  static override flags = {
    ...CALL_FILTER_FLAGS,
    verdict: Flags.string({ description: "Only calls with this verdict.", options: ["allow", "ask", "deny"] }),
    failed: Flags.boolean({ description: "Only calls in which something failed." }),
    limit: Flags.integer({ description: "At most so many, the last ones.", default: 50, min: 1, max: 1_000_000 }),
    follow: Flags.boolean({
      char: "f",
      description: "Go on with the calls to come, until interrupted.",
      exclusive: ["json"],
    }),
    ndjson: Flags.boolean({ description: "Print each call as one line of JSON.", exclusive: ["json"] }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { flags } = await this.parse(Log);
    const { card, tool, on, verdict, since, failed, follow, ndjson, limit } = flags;
    const request: LogRequest = { card, tool, on, verdict, since, isFailed: failed };
    // Begun first, so that no call is noted in between; one that is found twice is shown once.
    const watched = follow ? watchCalls(host, request) : null;
    const calls = listCalls(host, request, limit);
    const known = new Set(calls.map(({ hash }) => hash));
    return {
      json: { calls },
      print: async (console) => {
        const show = (call: LoggedCall): void => printCall(call, ndjson, console);
        for (const call of calls) show(call);
        if (watched !== null) {
          for await (const call of watched) if (!known.has(call.hash)) show(call);
        } else if (calls.length === 0 && !ndjson) console.talk("No such call was noted");
      },
    };
  }
}

function printCall(call: LoggedCall, isJson: boolean, { out, style }: Console): void {
  out(isJson ? JSON.stringify(call) : describeCall(call, style));
}
