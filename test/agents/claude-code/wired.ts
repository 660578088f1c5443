import fs from "node:fs";
import path from "node:path";
import { applyChanges } from "../../../src/wiring/changes.ts";
import { type JsonOriginal, jsonOriginal } from "../../../src/wiring/json-file.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { planWiring, type WiringEntry } from "./entries.ts";

export const OURS = "/home/me/.agents/drwn/bin/hook claude-code";
export const isOurs = (command: string) => command.startsWith("/home/me/.agents/drwn/bin/hook ");

export const PRE: WiringEntry = {
  event: "PreToolUse",
  matcher: null,
  command: `${OURS} pre`,
  timeout: 60,
  onFailure: "block",
};
export const POST: WiringEntry = { event: "PostToolUse", matcher: "Bash|Write", command: `${OURS} post`, timeout: 60 };
export const FAILURE: WiringEntry = {
  event: "PostToolUseFailure",
  matcher: null,
  command: `${OURS} post`,
  timeout: 60,
};
export const ALL = [PRE, POST, FAILURE];

/** A settings file on disk, and what a person who runs drwn again and again keeps of it. */
export class Wired {
  readonly root = temporaryFolder();
  readonly file = path.join(this.root, ".claude", "settings.json");
  record: JsonOriginal | undefined;

  constructor(text: string | null) {
    if (text !== null) this.text = text;
  }

  get text(): string | null {
    return fs.existsSync(this.file) ? fs.readFileSync(this.file, "utf8") : null;
  }

  set text(text: string) {
    fs.mkdirSync(path.dirname(this.file), { recursive: true });
    fs.writeFileSync(this.file, text);
  }

  plan(entries: readonly WiringEntry[]) {
    return planWiring({ settingsFile: this.file, root: this.root, entries, isOurs, record: this.record });
  }

  /** What was changed, after the record has been to disk and back. */
  write(entries: readonly WiringEntry[]): string[] {
    const { change, record } = this.plan(entries);
    if (change === undefined) return [];
    applyChanges([change]);
    this.record = record === undefined ? undefined : jsonOriginal.parse(JSON.parse(JSON.stringify(record)));
    return [`${change.action} ${change.what}`];
  }

  get settings() {
    return JSON.parse((this.text ?? "").replace(/^\ufeff/u, ""));
  }
}
