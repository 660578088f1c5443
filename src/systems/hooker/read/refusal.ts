/** The file is not read, as a whole: what stands on this line is not part of the language, or isn't Ruby. */
export class HookerRefusal extends Error {
  readonly line: number;

  constructor(line: number, what: string) {
    super(`line ${line}: ${what}`);
    this.name = "Refusal";
    this.line = line;
  }
}
