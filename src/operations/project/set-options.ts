import { parseCardName } from "../../card/name.ts";
import { type Grant, type OptionDeclaration, type OptionValue, optionValues } from "../../contract/ledger.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitProject, type OpenProject, openProject, withProject } from "../../project/open/open-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import { activeGrant, prepareLedger, replaceGrant } from "../../trust/ledger-file.ts";
import {
  decideOptions,
  mergeOptions,
  type OptionsByHook,
  optionChanges,
  readTyped,
  requireDeclared,
  type TypedOption,
} from "../../trust/options.ts";

export interface ListedOption {
  hook: string;
  option: string;
  value: OptionValue;
  declared: OptionDeclaration;
}

export interface SetOptions {
  card: string;
  /** All options of the approved hooks, with their present values. */
  options: ListedOption[];
  changes: { hook: string; option: string; from: OptionValue | null; to: OptionValue }[];
}

/** The options of an approved card, with their values. */
export function listOptions(host: Host, name: string): SetOptions {
  const card = parseCardName(name);
  return { card, options: optionsIn(requireGrant(openProject(host), card)), changes: [] };
}

/**
 * Gives options of an approved card other values, from the next tool call on: the hook process reads them from the
 * ledger. `typed` has new values; `reset` names options that get the card's default again.
 */
export function setOptions(
  host: Host,
  request: { card: string; typed: readonly TypedOption[]; reset: readonly { hook: string; option: string }[] },
): Promise<SetOptions> {
  const card = parseCardName(request.card);
  requirePerson(host, "set options of hook policies", `drwn card set ${card} hook.option=value`);
  return withProject(host, (project) => {
    const { ledger } = project;
    const grant = requireGrant(project, card);
    const { hooks } = lastOf(grant);
    const typed = readTyped(card, hooks, request.typed);
    const defaults = decideOptions({ hooks, set: {}, former: undefined });
    const reset = request.reset.reduce<OptionsByHook>((values, { hook, option }) => {
      return mergeOptions(values, { [hook]: { [option]: requireDeclared(card, hooks, { hook, option }).default } });
    }, {});
    const options = mergeOptions(mergeOptions(mergeOptions(defaults, grant.options ?? {}), reset), typed);
    const changes = optionChanges(grant.options ?? defaults, options);
    if (changes.length > 0 && ledger !== undefined) {
      const next = replaceGrant(ledger, { ...grant, options, ceiling: ceilingOf(grant) });
      const word = { by: "person", time: host.now().toISOString() } as const;
      commitProject(host, project, [prepareLedger(host.drwnHome, project.key, { ...next, word })]);
    }
    return { card, options: optionsIn({ ...grant, options }), changes };
  });
}

/** A person has seen the options of the version in force, so a later version that lacks one of them waits. */
function ceilingOf(grant: Grant): Grant["ceiling"] {
  const last = lastOf(grant);
  return Object.fromEntries(
    Object.entries(grant.ceiling).map(([hook, facts]) => {
      const { options } = last.hooks.find(({ name }) => name === hook) ?? {};
      return [hook, options === undefined ? facts : { ...facts, options }];
    }),
  );
}

function requireGrant({ root, ledger }: OpenProject, card: string): Grant {
  const grant = activeGrant(ledger, card);
  if (grant?.approved.at(-1) !== undefined) return grant;
  throw new Problem("DRWN_CONSENT_MISSING", `nothing was consented to for ${card} in ${root}`, {
    hint: `drwn card trust ${card} --hooks`,
  });
}

function lastOf({ card, approved }: Grant) {
  const last = approved.at(-1);
  if (last === undefined) throw new Error(`${card} has no approval`);
  return last;
}

function optionsIn(grant: Grant): ListedOption[] {
  return lastOf(grant).hooks.flatMap(({ name: hook, options = {} }) => {
    const values = optionValues(options, grant.options?.[hook]);
    return Object.entries(options).map(([option, declared]) => {
      return { hook, option, value: values[option] ?? declared.default, declared };
    });
  });
}
