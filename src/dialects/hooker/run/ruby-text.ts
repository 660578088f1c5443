/** Ruby's `to_s` for any value that JSON can hold. */
export function toRubyText(value: unknown): string {
  return typeof value === "string" ? value : value === null || value === undefined ? "" : inspect(value);
}

function inspect(value: unknown): string {
  if (typeof value === "string") return inspectText(value);
  if (value === null) return "nil";
  if (Array.isArray(value)) return `[${value.map(inspect).join(", ")}]`;
  if (typeof value === "object") {
    const pairs = Object.entries(value ?? {}).map(([key, inner]) => `${inspectText(key)}=>${inspect(inner)}`);
    return `{${pairs.join(", ")}}`;
  }
  return String(value);
}

function inspectText(text: string): string {
  return JSON.stringify(text)
    .replace(/\\u00([01][0-9a-f])/gu, (_, digits: string) => RUBY_ESCAPES[digits] ?? `\\x${digits.toUpperCase()}`)
    .replace(/#(?=[{$@])/gu, "\\#");
}

const RUBY_ESCAPES: Readonly<Record<string, string>> = { "07": "\\a", "0b": "\\v", "1b": "\\e", "00": "\\u0000" };

/** Ruby's `strip`. */
export function strip(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 0 || (code >= 9 && code <= 13);
}
