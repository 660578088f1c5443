/** The whole file is refused: this line isn't Ruby, or isn't part of the language. */
export class HookerRefusal extends Error {
  readonly line: number;

  constructor(line: number, what: string) {
    super(`line ${line}: ${what}`);
    this.name = "Refusal";
    this.line = line;
  }
}
