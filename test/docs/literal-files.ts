import fs from "node:fs";
import path from "node:path";
import type { Block } from "./markdown.ts";
import type { Run } from "./run.ts";
import { normalise, type World } from "./world.ts";

/** Compares a file that the page shows with the one that the commands of the page have made. */
export function checkFile({ world }: Run, { text, options }: Block): void {
  const file = placeOf(world, options["file"] ?? "");
  const written = lastLine(fs.readFileSync(file, "utf8"), options["file"] ?? "");
  const [expected, received] = [text, written].map((json) => JSON.parse(normalise(json, world)));
  if (JSON.stringify(expected) === JSON.stringify(received)) return;
  throw new Error(`${options["file"]} is really\n${JSON.stringify(received, null, 2)}`);
}

/** Absolute. `~` is the home, `$DRWN_HOME` the state, `<…>` whatever is there, and the rest is in the project. */
export function placeOf(world: World, place: string): string {
  const parts = place.split("/");
  const top = parts[0] === "~" ? world.home : parts[0] === "$DRWN_HOME" ? world.drwnHome : world.project;
  const below = top === world.project ? parts : parts.slice(1);
  return below.reduce((folder, part) => path.join(folder, part.includes("<") ? matching(folder, part) : part), top);
}

/** The JSON text with a valid digest wherever `…` stands for one. */
export function fillDigests(text: string): string {
  return text
    .replaceAll("drwn1-sha512-…", `drwn1-sha512-${"A".repeat(86)}`)
    .replaceAll("ed25519:…", `ed25519:${"A".repeat(43)}`)
    .replaceAll("sha512-…", `sha512-${"A".repeat(86)}==`)
    .replaceAll("sha256-…", `sha256-${"0".repeat(64)}`);
}

function matching(folder: string, part: string): string {
  const [before = "", after = ""] = part.split(/<[^>]*>/u, 2);
  const found = fs.readdirSync(folder).filter((name) => name.startsWith(before) && name.endsWith(after));
  const [name] = found;
  if (name === undefined || found.length > 1) throw new Error(`${part} names ${found.length} files in ${folder}`);
  return name;
}

/** Of a file of JSON lines only the last one is shown. */
function lastLine(text: string, place: string): string {
  return place.endsWith(".jsonl") ? (text.trim().split("\n").at(-1) ?? "") : text;
}
