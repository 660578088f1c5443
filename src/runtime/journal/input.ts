import { existsSync as nodeExistsSync } from "node:fs";
import { quoteJson, sliceText } from "../../hot/primordials.ts";
import { redactSecrets } from "./redact.ts";

// Taken before policies can replace it, because it is called after they ran.
const existsSync = nodeExistsSync;

const MAXIMUM_INPUT = 2_000;
/** A person can let a denied call through only if the journal has all of it. */
const MAXIMUM_DENIED_INPUT = 32_000;
const MAXIMUM_SEARCHED = 32_768;

/** What the tool is called with, and what a person wants of that in the journal. */
export interface JournaledInput {
  /** JSON text; null: nobody could read it. */
  input: string | null;
  /** Something that a policy can hold a tool from doing, not a moment of the session. */
  isCall: boolean;
  /** A person wants the inputs of all calls in the journal. */
  keepsInputs: boolean;
  /** If this file exists, a person wants none. */
  withoutInputs: string;
}

/** The whole input of a call that was denied or asked about; of others the beginning, if a person wants that. */
export function inputText({ input, isCall, keepsInputs, withoutInputs }: JournaledInput, verdict: string): string {
  if (input === null) return "";
  if (verdict === "allow" || !isCall) return keepsInputs ? `,"input":${quoteInput(input)}` : "";
  if (existsSync(withoutInputs)) return "";
  const text = redactSecrets(sliceText(input, 0, MAXIMUM_SEARCHED));
  const isCut = input.length > MAXIMUM_SEARCHED || text.length > MAXIMUM_DENIED_INPUT;
  const kept = isCut ? `${sliceText(text, 0, MAXIMUM_DENIED_INPUT)}…` : text;
  return `,"input":${quoteJson(kept)}${text === input ? ',"isWhole":true' : ""}`;
}

/** Redacts before it cuts, as for reasons, so that no half of a secret remains. */
export function quoteInput(input: string): string {
  const redacted = redactSecrets(sliceText(input, 0, MAXIMUM_SEARCHED));
  return quoteJson(redacted.length > MAXIMUM_INPUT ? `${sliceText(redacted, 0, MAXIMUM_INPUT)}…` : redacted);
}
