/** A value of one option of a hook. */
export type OptionValue = boolean | number | string | readonly string[];

interface Declared {
  description: string;
}

/**
 * What a card declares about an option of a hook. `tightens`: a project may change it in this direction without asking
 * a person.
 */
export type OptionDeclaration = Declared &
  (
    | { type: "boolean"; default: boolean; tightens?: true }
    | { type: "integer"; default: number; minimum?: number; maximum?: number; tightens?: "lower" | "higher" }
    | { type: "string"; default: string; maxLength?: number }
    | { type: "strings" | "globs"; default: readonly string[]; maxItems?: number; tightens?: true }
    | { type: "enum"; default: string; values: readonly string[]; tightens?: true }
  );

/** By name. */
export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>;
export type OptionValues = Readonly<Record<string, OptionValue>>;

/** A value for every declared option: the one that was set, or the default. */
export function optionValues(declared: OptionDeclarations, set: OptionValues | undefined): Record<string, OptionValue> {
  const values: Record<string, OptionValue> = {};
  for (const [name, option] of Object.entries(declared)) {
    const value = set !== undefined && Object.hasOwn(set, name) ? set[name] : undefined;
    values[name] = value ?? option.default;
  }
  return values;
}
