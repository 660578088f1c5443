import { readFormatIfThere } from "../format/read.ts";
import { z } from "../format/schema.ts";
import { formatJson } from "../format/write.ts";
import { writeAtomic } from "../kernel/atomic.ts";
import { sortedBy } from "../kernel/order.ts";
import { cardNameField, rangeField } from "./fields.ts";
import { projectFiles } from "./files.ts";

const schema = z.strictObject({
  version: z.literal(1),
  requests: z.record(cardNameField, z.strictObject({ hooks: rangeField })),
});

/**
 * `.agents/drwn/trust.json`: the consents that this project asks its users for, card name to semver range. It is committed,
 * and it grants nothing: what may run is in the ledger of each user's machine.
 */
export type TrustRequest = z.infer<typeof schema>;

export function readTrustRequest(root: string): TrustRequest {
  return readFormatIfThere(projectFiles.trustRequest(root), schema) ?? { version: 1, requests: {} };
}

export function requestConsents(root: string, consents: readonly { card: string; range: string }[]): void {
  const { requests } = readTrustRequest(root);
  const asked = consents.map(({ card, range }) => [card, { hooks: range }] as const);
  writeTrustRequest(root, { ...requests, ...Object.fromEntries(asked) });
}

export function withdrawRequest(root: string, card: string): void {
  const { requests } = readTrustRequest(root);
  if (!(card in requests)) return;
  writeTrustRequest(root, Object.fromEntries(Object.entries(requests).filter(([name]) => name !== card)));
}

function writeTrustRequest(root: string, requests: TrustRequest["requests"]): void {
  const sorted = Object.fromEntries(sortedBy(Object.entries(requests), ([name]) => name));
  writeAtomic(projectFiles.trustRequest(root), formatJson({ version: 1, requests: sorted }), 0o644);
}
