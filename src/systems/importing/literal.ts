/** JSON is JavaScript; what could reorder or hide text in a review is written out. */
export function literal(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}

/** The same JSON, over whatever lines it has, in plain ASCII. */
export function escapeJson(text: string): string {
  return text.replace(/[^\n\x20-\x7e]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
