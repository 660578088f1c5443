/** The options that take a value, which may be the next argument. */
export interface OptionShape {
  /** Letters: `"nC"` for `-n 5` and `-C dir`. */
  letters?: string;
  /** Long names without the dashes: `["message"]`; with one dash for `-chdir`: `["-chdir"]`. */
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

/** The name of an option as the table has it: `f` of `-f`, `force` of `--force`, `-chdir`. */
export function withoutDashes(option: string): string {
  if (option.startsWith("--")) return option.slice(2);
  return option.length === 2 && option.startsWith("-") ? option.slice(1) : option;
}

/**
 * Takes arguments apart as most programs do: `-rf`, `-n5`, `--name=value`, `--name value`, and `--` ends the options.
 */
export function optionsOf(given: readonly string[], shape: OptionShape = {}): Options {
  return readOptions(given, () => shape, false);
}

/**
 * The same, with a shape that depends on the operands so far. `isGuessing`: an option that the shape doesn't have takes
 * the next argument as well.
 */
export function readOptions(
  given: readonly string[],
  shapeAt: (operands: readonly string[]) => OptionShape,
  isGuessing: boolean,
): Options {
  const found: { name: string; value?: string }[] = [];
  const operands: string[] = [];
  let { letters = "", names = [] } = shapeAt(operands);
  for (let at = 0; at < given.length; at++) {
    const argument = given[at] ?? "";
    if (argument === "--") {
      operands.push(...given.slice(at + 1));
      break;
    }
    const next = given[at + 1];
    const isGuessed = isGuessing && next !== undefined && !next.startsWith("-");
    const equals = argument.indexOf("=");
    const named = argument.startsWith("--") ? argument.slice(2) : argument;
    const name = equals < 0 ? named : named.slice(0, equals - (argument.length - named.length));
    if (argument.startsWith("--") || (argument.startsWith("-") && names.includes(name))) {
      if (equals >= 0) found.push({ name, value: argument.slice(equals + 1) });
      else if (names.includes(name) || isGuessed) found.push({ name, value: given[++at] ?? "" });
      else found.push({ name });
    } else if (argument.startsWith("-") && argument.length > 1) {
      const cluster = argument.slice(1);
      const first = [...cluster].findIndex((letter) => letters.includes(letter));
      const flags = first < 0 ? cluster : cluster.slice(0, first);
      for (const letter of flags) found.push({ name: letter });
      // `find -delete` and `go -race` have long names after one dash.
      if (cluster.length > 1) found.push({ name: `-${cluster}` });
      if (equals > 2) found.push({ name, value: argument.slice(equals + 1) });
      if (first >= 0)
        found.push({ name: cluster[first] ?? "", value: cluster.slice(first + 1) || (given[++at] ?? "") });
      else if (isGuessed) at++;
    } else {
      operands.push(argument);
      ({ letters = "", names = [] } = shapeAt(operands));
    }
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
