/** Evidence that a journal isn't as it was written. */
export interface Fault {
  kind: "edited" | "torn" | "chain" | "moved" | "repeated" | "segment" | "head";
  file: string;
  /** Null: it concerns the whole file. */
  line: number | null;
  message: string;
}
