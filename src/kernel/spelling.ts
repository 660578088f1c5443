/** Whether somebody who typed the one meant the other: one slip of the finger, or two in a longer word. */
export function isNear(word: string, meant: string): boolean {
  return distance(word, meant) <= (meant.length <= 4 ? 1 : 2);
}

/** How many letters were left out, added, mistaken, or typed in the wrong order. */
export function distance(left: string, right: string): number {
  // Nobody means a name by a word that is so much longer, and this would keep whoever typed it waiting.
  if (Math.abs(left.length - right.length) > 2) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, at) => at)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= left.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(left.length, right.length);
}
