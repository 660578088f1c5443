/** With fewer calls, a rate means little. */
export const FEW = 200;

/** Two significant digits, without powers of ten: `0.40 %`, `17 %`, `100 %`. */
export function percent(share: number): string {
  const digits = { minimumSignificantDigits: 2, maximumSignificantDigits: 2 };
  return `${(share * 100).toLocaleString("en-US", digits)} %`;
}

export function proveLittle(calls: number): string {
  return `So few calls prove little: ${calls}; it takes about ${FEW}`;
}
