import { parseCardName } from "../../card/name.ts";
import { parseRange } from "../../card/version.ts";
import type { Host } from "../../kernel/host.ts";
import { commitProject, requireLockedCard, withProject } from "../../project/open/open-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import { editRequest, editWithdrawal, readTrustRequest } from "../../project/trust-request.ts";
import { readTyped, type TypedOption } from "../../trust/options.ts";

export interface RequestResult {
  card: string;
  /** The range that the project now asks its users to consent to; null: it doesn't ask for this card. */
  range: string | null;
  /** The range that it asked for before. */
  before: string | null;
}

interface Asking {
  card: string;
  range: string | undefined;
  /** The values that it asks for. */
  options?: readonly TypedOption[];
}

/** Says in the committed trust.json which versions of a card the project asks its users to consent to; it grants nothing. */
export function requestConsent(host: Host, request: Asking): Promise<RequestResult> {
  const card = parseCardName(request.card);
  const asked = request.range === undefined ? undefined : parseRange(request.range);
  requirePerson(host, "change what the project asks its users to consent to", `drwn trust request ${card}`);
  return withProject(host, (project) => {
    const before = readTrustRequest(project.root).requests[card]?.hooks ?? null;
    const typed = request.options ?? [];
    const isAboutOptions = typed.length > 0 && before !== null;
    const range = asked ?? (isAboutOptions ? before : `^${requireLockedCard(project, card).version}`);
    const options = typed.length === 0 ? {} : readTyped(card, requireLockedCard(project, card).hooks, typed);
    commitProject(host, project, [editRequest(project.root, { card, range, options })]);
    return { card, range, before };
  });
}

/** Takes the request for a card out of trust.json; consents that were given stay. */
export function withdrawRequest(host: Host, name: string): Promise<RequestResult> {
  const card = parseCardName(name);
  requirePerson(host, "change what the project asks its users to consent to", `drwn trust request ${card} --withdraw`);
  return withProject(host, (project) => {
    const before = readTrustRequest(project.root).requests[card]?.hooks ?? null;
    commitProject(host, project, editWithdrawal(project.root, card));
    return { card, range: null, before };
  });
}
