import { createHash } from "node:crypto";

/** For the UUIDs of hooks without one. */
const NAMESPACE = Buffer.from("7a1d0f2c5b7e4c6f9d1b3a5c7e9f0b2d", "hex");

/** A UUID of version 5: the same name gives the same one. */
export function idFor(name: string): string {
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/u, "$1-$2-$3-$4-");
}
