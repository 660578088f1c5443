const MEBIBYTE = 1024 * 1024;

/** How large a card may be, packed and unpacked. The same limits hold when it is made and when it is received. */
export const CARD_LIMITS = {
  files: 5_000,
  fileBytes: 8 * MEBIBYTE,
  totalBytes: 64 * MEBIBYTE,
  tarballBytes: 32 * MEBIBYTE,
  /** Unpacked bytes for each packed byte; small cards may be as repetitive as they like. */
  ratio: 100,
  ratioCountsFrom: MEBIBYTE,
  /** For an extended tar header. */
  headerBytes: 64 * 1024,
  pathBytes: 1024,
  nameBytes: 255,
  depth: 32,
} as const;
