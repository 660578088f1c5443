import { refuseTarball } from "./tar-blocks.ts";

/** What an extended header says about the entry after it, as far as drwn needs it. */
export interface PaxFields {
  path?: string;
}

/** Only decimal: some readers take other spellings of a number for a length, others for damage. */
const LENGTH = /^[1-9]\d{0,6}$/u;

/**
 * Records of `length key=value`, each exactly as long as it claims. drwn takes only a path from them. It refuses sizes
 * and links, which other readers treat differently.
 */
export function parsePax(bytes: Buffer): PaxFields {
  const fields: PaxFields = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const digits = bytes.toString("latin1", at, Math.max(space, at));
    const end = at + Number(digits);
    if (!LENGTH.test(digits) || end <= space || end > bytes.length || bytes[end - 1] !== 0x0a) throw damaged();
    const record = bytes.toString("utf8", space + 1, end - 1);
    const equals = record.indexOf("=");
    if (space < 0 || equals < 1) throw damaged();
    take(fields, record.slice(0, equals), record.slice(equals + 1));
    at = end;
  }
  return fields;
}

function take(fields: PaxFields, key: string, value: string): void {
  if (key === "path" && fields.path !== undefined) throw refuseTarball("an extended header names a file twice");
  if (key === "path") fields.path = value;
  else if (key === "linkpath") throw refuseTarball("it holds a link", [value]);
  else if (key === "size" || key.startsWith("GNU.sparse.")) {
    throw refuseTarball("an extended header changes a size", [key]);
  }
}

function damaged() {
  return refuseTarball("an extended header in it is damaged");
}
