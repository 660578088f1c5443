/** The value of a constant expression in a policies.rb. */
export type Value =
  | { kind: "string"; text: string }
  | { kind: "symbol"; text: string }
  | { kind: "regexp"; source: string; flags: string }
  | { kind: "list"; items: readonly Value[] }
  | { kind: "boolean"; value: boolean }
  | { kind: "nil" };

export const NIL: Value = { kind: "nil" };

export function text(value: string): Value {
  return { kind: "string", text: value };
}

/** Ruby's `to_s`; undefined if it isn't worth knowing. */
export function toText(value: Value): string | undefined {
  if (value.kind === "string" || value.kind === "symbol") return value.text;
  return undefined;
}
