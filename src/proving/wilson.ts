/** The quantile of the normal distribution for a 95 % interval. */
const Z = 1.959_963_984_540_054;

/** The upper end of Wilson's 95 % interval for a rate: the highest rate that so few calls cannot rule out. */
export function upperRate(count: number, of: number): number {
  if (of === 0) return 1;
  const rate = count / of;
  const spread = Z * Math.sqrt((rate * (1 - rate)) / of + Z ** 2 / (4 * of ** 2));
  return Math.min(1, (rate + Z ** 2 / (2 * of) + spread) / (1 + Z ** 2 / of));
}
