import { clean } from "../../kernel/text.ts";

/** In the reader's time zone: `2026-01-31 14:03:11`. */
export function localTime(iso: string): string {
  const moment = new Date(iso);
  if (Number.isNaN(moment.getTime())) return clean(iso, 40);
  const two = (number: number): string => `${number}`.padStart(2, "0");
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join("-");
  return `${day} ${[moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(":")}`;
}
