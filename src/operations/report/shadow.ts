import { cardOf } from "../../journal/line.ts";
import { eachCall } from "../../journal/select.ts";
import type { Host } from "../../kernel/host.ts";
import { openProject } from "../../workspace/open-project.ts";
import { Tally, type TallyResult } from "./tally.ts";

/** What a card in shadow mode would have done to the calls that it looked at. */
export interface ShadowOfCard {
  /** Calls that at least one of its hooks was asked about. */
  calls: number;
  first: string;
  last: string;
  hooks: TallyResult["shadow"];
}

/** Null: the journal has no call that the card saw in shadow mode. */
export function readShadow(host: Host, card: string): ShadowOfCard | null {
  const { key } = openProject(host);
  const tally = new Tally();
  for (const line of eachCall({ home: host.drwnHome, key }, { card })) {
    const policies = line.policies.filter(({ policy, mode }) => cardOf(policy) === card && mode === "shadow");
    if (policies.length > 0) tally.add({ ...line, policies });
  }
  const { figures, shadow } = tally.result();
  const { calls, first, last } = figures;
  return first === null || last === null ? null : { calls, first, last, hooks: shadow };
}
