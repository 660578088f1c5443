/** JSON is JavaScript. Characters that could reorder or hide text in a review are escaped. */
export function literal(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}

/** The same JSON, on the same lines, in plain ASCII. */
export function escapeJson(text: string): string {
  return text.replace(/[^\n\x20-\x7e]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
