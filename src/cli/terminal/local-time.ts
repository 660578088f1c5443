import { clean } from "../../kernel/text.ts";

/** In the reader's time zone: `2026-01-31 14:03:11`. */
export function localTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return clean(iso, 40);
  const two = (number: number): string => `${number}`.padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}
