/** Two spaces, a final newline, keys in the order in which they were added: the same value gives the same bytes. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
