import { isMapping } from "../../../helpers/guards.ts";

/** What is wrong with a field, and its path from the top of the entry. */
export interface FieldFault {
  field: string;
  what: string;
}

/** Reads the fields of one table, and notes everything that is wrong with them. */
export class TableReader {
  readonly faults: FieldFault[];
  readonly #table: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(table: Readonly<Record<string, unknown>>, path = "", faults: FieldFault[] = []) {
    this.#table = table;
    this.#path = path;
    this.faults = faults;
  }

  refuse(field: string, what: string): undefined {
    this.faults.push({ field: this.#path + field, what });
  }

  allowOnly(known: readonly string[]): void {
    for (const field of Object.keys(this.#table)) {
      if (!known.includes(field)) this.refuse(field, `is unknown; known are ${known.join(", ")}`);
    }
  }

  /** Undefined: it is missing, or it isn't text, which is noted. */
  text(field: string): string | undefined {
    const value = this.#table[field];
    if (value === undefined) return undefined;
    if (typeof value !== "string") return this.#mistyped(field, "text");
    // No program, path or header takes this character.
    return value.includes("\0") ? this.refuse(field, "has a null character") : value;
  }

  requiredText(field: string): string {
    const value = this.text(field);
    if (this.#table[field] === undefined) this.refuse(field, "is missing");
    if (value === "") this.refuse(field, "is empty");
    return value ?? "";
  }

  integer(field: string, [least, most]: readonly [number, number]): number | undefined {
    const value = this.#table[field];
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    return this.#mistyped(field, `a whole number from ${least} to ${most}`);
  }

  boolean(field: string): boolean | undefined {
    const value = this.#table[field];
    return value === undefined || typeof value === "boolean" ? value : this.#mistyped(field, "true or false");
  }

  texts(field: string): string[] | undefined {
    const value = this.#table[field];
    if (value === undefined) return undefined;
    const isList = Array.isArray(value) && value.every((item) => typeof item === "string" && !item.includes("\0"));
    return isList ? value : this.#mistyped(field, "a list of texts");
  }

  textTable(field: string): Record<string, string> | undefined {
    const value = this.#table[field];
    if (value === undefined) return undefined;
    if (!isMapping(value)) return this.#mistyped(field, "a table of texts");
    const entries = Object.entries(value).filter((entry): entry is [string, string] => {
      if (typeof entry[1] === "string" && !entry[1].includes("\0")) return true;
      return this.refuse(`${field}.${entry[0]}`, `should be text, got ${show(entry[1])}`) ?? false;
    });
    return Object.fromEntries(entries);
  }

  oneOf<T extends string>(field: string, choices: readonly T[]): T | undefined {
    const value = this.#table[field];
    const choice = choices.find((one) => one === value);
    if (choice !== undefined || value === undefined) return choice;
    return this.refuse(field, `is ${show(value)}; there are ${choices.join(", ")}`);
  }

  requiredOneOf<T extends string>(field: string, choices: readonly T[]): T | undefined {
    if (this.#table[field] === undefined) this.refuse(field, `is missing; there are ${choices.join(", ")}`);
    return this.oneOf(field, choices);
  }

  /** A table inside this one. Its faults are reported with this one's. */
  table(field: string): TableReader | undefined {
    const value = this.#table[field];
    if (value === undefined) return undefined;
    if (!isMapping(value)) return this.#mistyped(field, "a table");
    return new TableReader(value, `${this.#path}${field}.`, this.faults);
  }

  #mistyped(field: string, wanted: string): undefined {
    return this.refuse(field, `should be ${wanted}, got ${show(this.#table[field])}`);
  }
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}
