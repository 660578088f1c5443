import { clean, plural } from "../../../kernel/text.ts";
import type { ShadowOfCard } from "../../../operations/report/shadow.ts";
import type { Console } from "../../terminal/console.ts";
import { FEW, proveLittle } from "../proving/rate.ts";

const DAY = 86_400_000;

/** What a card did in shadow mode, for a person who is about to enforce it. */
export function renderShadow(card: string, shadow: ShadowOfCard | null, style: Console["style"]): string[] {
  if (shadow === null)
    return [style.warn(`${clean(card)} has looked at no call in shadow mode: nobody knows what it would do`)];
  const { calls, first, last, hooks } = shadow;
  const days = Math.max(1, Math.ceil((Date.parse(last) - Date.parse(first)) / DAY));
  const lines = hooks.map(
    ({ policy, calls: seen, denied, asked }) =>
      `  ${clean(policy)}: of ${plural(seen, "call")} it would have denied ${denied} and asked about ${asked}`,
  );
  const span = `from ${clean(first.slice(0, 10), 20)} to ${clean(last.slice(0, 10), 20)}, ${plural(days, "day")}`;
  return [
    `In shadow mode ${clean(card)} has looked at ${plural(calls, "call")} (${span}):`,
    ...lines,
    ...(calls < FEW ? [style.warn(`  ${proveLittle(calls)}`)] : []),
  ];
}
