import { expect, test } from "vitest";
import { allAdapters, findLifecycleAdapter } from "../../src/agents/adapters.ts";
import { allTargets } from "../../src/agents/targets.ts";
import { ABILITIES } from "../../src/hook-base/adapter/adapter.ts";
import { type CanonicalEvent, EVENTS, powersOf } from "../../src/policy/lifecycle-events.ts";
import { outcomeTable } from "../support/conformance.ts";
import { checkGenerated } from "../support/generated-page.ts";

const PAGE = "docs/reference/agents.md";

test("what the page says that each agent can carry is so", () => {
  const rows = allAdapters().map(({ title, can, onlyIf = {} }) => {
    const cells = ABILITIES.map((ability) => {
      const condition = onlyIf[ability] === undefined ? "" : `, if ${onlyIf[ability]}`;
      return can[ability] ? `yes${condition}` : "no";
    });
    return [title, ...cells];
  });
  checkGenerated(PAGE, printTable([["agent", ...ABILITIES], ...rows]), "abilities");
});

test("the page says where each agent shows a person what denied a call", () => {
  const fields = allAdapters().map(({ title, encode }) => {
    const { text } = encode({ action: "deny", reason: "no", context: null, updatedInput: null, notice: "NOTICE" });
    const [, field] = /"(\w+)":"[^"]*NOTICE/u.exec(text) ?? [];
    return { title, value: field === undefined ? "no place of its own: the reason names the guard" : `\`${field}\`` };
  });
  const rows = [...groupTitles(fields)].map(([field, titles]) => [titles.join(", "), field]);
  checkGenerated(PAGE, printTable([["agent", "shown to a person"], ...rows]), "notices");
});

test("the names of tools on the page are those of the adapters", () => {
  const rows = allAdapters().map(({ title, canonicalTools }) => {
    const names = [...new Set(Object.values(canonicalTools))].sort().flatMap((canonical) => {
      const own = Object.keys(canonicalTools).filter((name) => canonicalTools[name] === canonical);
      if (own.every((name) => name.replaceAll("_", "") === canonical.toLowerCase())) return [];
      return `\`${canonical}\`: ${own.map((name) => `\`${name}\``).join(", ")}`;
    });
    return [title, names.length === 0 ? "none" : names.join("; ")];
  });
  checkGenerated(PAGE, printTable([["agent", "the canonical name: its own"], ...rows]), "names");
});

test("the table of what becomes of a call is the one that every agent is tested by", () => {
  const titles = allAdapters().map(({ title }) => title);
  const rows: string[][] = [];
  for (const [policy = "", says = "", ...cells] of outcomeTable(allAdapters())) {
    const byOutcome = groupTitles(cells.map((value, at) => ({ title: titles[at] ?? "", value })));
    const outcome = [...byOutcome]
      .map(([value, of]) => (byOutcome.size === 1 ? value : `${value}: ${of.join(", ")}`))
      .join("; ");
    const last = rows.at(-1);
    if (last !== undefined && last[0] === policy && last[2] === outcome) last[1] += `; ${says}`;
    else rows.push([policy, says, outcome]);
  }
  checkGenerated(PAGE, printTable([["policy", "says or does", "the call"], ...rows]), "outcomes");
});

test("the page of lifecycle hooks says which events each agent reports, and what it does not heed there", () => {
  const agents = allAdapters().flatMap(({ title, runtime }) => {
    const adapter = findLifecycleAdapter(runtime);
    return adapter === undefined ? [] : [{ title, adapter }];
  });
  const rows = (Object.keys(EVENTS) as CanonicalEvent[]).map((event) => {
    const { hold, injects } = powersOf(event);
    const reported = agents.flatMap(({ title, adapter }) => {
      const at = adapter.powersAt(event);
      if (at === undefined) return [];
      const lacks = [
        ...(hold !== null && !at.holds ? ["no hold"] : []),
        ...(injects && !at.injects ? [at.shows ? "text to the person" : "no text"] : []),
      ];
      return [{ title, value: `\`${at.name}\`${lacks.length === 0 ? "" : ` (${lacks.join(", ")})`}` }];
    });
    const names = [...groupTitles(reported)].map(([name, titles]) => `${titles.join(", ")} ${name}`);
    return [`\`${event}\``, names.join("; ")];
  });
  const table = printTable([["event", "reported by"], ...rows.filter(([, reported]) => reported !== "")]);
  checkGenerated("docs/reference/lifecycle.md", table, "events");
});

test("every agent that can be wired has an adapter", () => {
  const runtimes = allAdapters().map(({ runtime }) => runtime);
  expect(allTargets().filter(({ runtime }) => !runtimes.includes(runtime))).toEqual([]);
});

/** The titles of the agents with the same value, by value. */
function groupTitles(agents: readonly { title: string; value: string }[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { title, value } of agents) groups.set(value, [...(groups.get(value) ?? []), title]);
  return groups;
}

function printTable([head = [], ...rows]: readonly string[][]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}
