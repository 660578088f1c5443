/** The options that take a value, which may be the next argument. */
export interface OptionShape {
  /** Letters: `"nC"` for `-n 5` and `-C dir`. */
  letters?: string;
  /** Long names without the dashes: `["message"]`. */
  names?: readonly string[];
}

/** A command's arguments, taken apart. */
export interface Options {
  /** Whether one of these options is given, by a letter or by (the beginning of) a long name: `has("f", "force")`. */
  has(...names: string[]): boolean;
  /** The values of these options, in order. */
  values(...names: string[]): string[];
  /** The arguments that are neither options nor their values. */
  operands: string[];
}

/**
 * Takes arguments apart as most programs do: `-rf`, `-n5`, `--name=value`, `--name value`, and `--` ends the options.
 */
export function optionsOf(given: readonly string[], { letters = "", names = [] }: OptionShape = {}): Options {
  const found: { name: string; value?: string }[] = [];
  const operands: string[] = [];
  for (let at = 0; at < given.length; at++) {
    const argument = given[at] ?? "";
    if (argument === "--") {
      operands.push(...given.slice(at + 1));
      break;
    }
    if (argument.startsWith("--")) {
      const equals = argument.indexOf("=");
      const name = equals < 0 ? argument.slice(2) : argument.slice(2, equals);
      const value = equals < 0 ? undefined : argument.slice(equals + 1);
      if (value !== undefined) found.push({ name, value });
      else if (names.includes(name)) found.push({ name, value: given[++at] ?? "" });
      else found.push({ name });
    } else if (argument.startsWith("-") && argument.length > 1) {
      const cluster = argument.slice(1);
      const valued = [...cluster].findIndex((letter) => letters.includes(letter));
      const flags = valued < 0 ? cluster : cluster.slice(0, valued);
      for (const name of flags) found.push({ name });
      // `find -delete` and `go -race` have long names after one dash.
      if (cluster.length > 1) found.push({ name: `-${cluster}` });
      if (valued >= 0)
        found.push({ name: cluster[valued] ?? "", value: cluster.slice(valued + 1) || (given[++at] ?? "") });
    } else operands.push(argument);
  }
  const isNamed = (given: string, name: string) =>
    given === name || (given.length > 2 && !names.includes(given) && name.startsWith(given));
  return {
    has: (...wanted) => found.some((one) => wanted.some((name) => isNamed(one.name, name))),
    values: (...wanted) =>
      found.flatMap(({ name, value }) =>
        value !== undefined && wanted.some((one) => isNamed(name, one)) ? [value] : [],
      ),
    operands,
  };
}
