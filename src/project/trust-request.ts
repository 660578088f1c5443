import { optionValuesSchema } from "../card/options.ts";
import type { OptionValues } from "../contract/ledger.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readFormatIfThere } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import { sortedBy } from "../kernel/order.ts";
import type { FileEdit } from "./commit.ts";
import { cardNameField, rangeField } from "./config.ts";
import { projectFiles } from "./identity.ts";

export const requestSchema = z.strictObject({
  version: z.literal(1),
  requests: z.record(cardNameField, z.strictObject({ hooks: rangeField, options: optionValuesSchema.exactOptional() })),
});

/**
 * `.agents/drwn/trust.json`: the consents that this project asks its users for, card name to semver range, and the
 * values that it asks for their hooks' options. It is committed, but grants nothing: the ledger on each user's machine
 * says what may run.
 */
export type TrustRequest = z.infer<typeof requestSchema>;

export function readTrustRequest(root: string): TrustRequest {
  return readFormatIfThere(projectFiles.trustRequest(root), requestSchema) ?? { version: 1, requests: {} };
}

interface ConsentEntry {
  card: string;
  range: string;
  /** Values by hook. */
  options?: Readonly<Record<string, OptionValues>>;
}

/**
 * Adds requests to trust.json for the cards that it doesn't have yet; existing requests are the project's, and stay.
 */
export function editNewRequests(root: string, consents: readonly ConsentEntry[]): FileEdit[] {
  const { requests } = readTrustRequest(root);
  const news = consents.filter(({ card }) => !Object.hasOwn(requests, card));
  if (news.length === 0) return [];
  return [
    editRequests(root, { ...requests, ...Object.fromEntries(news.map(({ card, range }) => [card, { hooks: range }])) }),
  ];
}

/** trust.json with this request; what it asks for the card's other options stays. */
export function editRequest(root: string, { card, range, options = {} }: ConsentEntry): FileEdit {
  const { requests } = readTrustRequest(root);
  const former = Object.hasOwn(requests, card) ? requests[card]?.options : undefined;
  const asked = { ...former };
  for (const [hook, values] of Object.entries(options)) asked[hook] = { ...asked[hook], ...values };
  const more = Object.keys(asked).length === 0 ? {} : { options: asked };
  return editRequests(root, { ...requests, [card]: { hooks: range, ...more } });
}

/** trust.json without the request for the card; no edit if there is none. */
export function editWithdrawal(root: string, card: string): FileEdit[] {
  const { requests } = readTrustRequest(root);
  if (!(card in requests)) return [];
  return [editRequests(root, Object.fromEntries(Object.entries(requests).filter(([name]) => name !== card)))];
}

export function editRequests(root: string, requests: TrustRequest["requests"]): FileEdit {
  const sorted = Object.fromEntries(sortedBy(Object.entries(requests), ([name]) => name));
  const content = formatJson({ version: 1, requests: sorted });
  return { file: projectFiles.trustRequest(root), content, mode: 0o644 };
}
