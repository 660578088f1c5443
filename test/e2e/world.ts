import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** A throwaway home, drwn home and project: all that a case reads or writes lies in it. */
export class World {
  readonly folder: string;
  readonly home: string;
  readonly project: string;
  /** What every program of the case is started with. */
  readonly env: Readonly<Record<string, string>>;

  constructor() {
    this.folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-e2e-")));
    this.home = path.join(this.folder, "home");
    this.project = path.join(this.folder, "project");
    this.env = {
      HOME: this.home,
      DRWN_HOME: path.join(this.home, ".agents", "drwn"),
      CLAUDE_CONFIG_DIR: path.join(this.home, ".claude"),
      NO_COLOR: "1",
    };
    fs.mkdirSync(this.home, { mode: 0o700 });
    fs.mkdirSync(this.project);
  }

  /** `file` is relative to the project; folders above it are made. */
  write(file: string, text: string): string {
    const absolute = this.at(file);
    fs.mkdirSync(path.dirname(absolute), { recursive: true });
    fs.writeFileSync(absolute, text);
    return absolute;
  }

  read(file: string): string {
    return fs.readFileSync(this.at(file), "utf8");
  }

  has(file: string): boolean {
    return fs.existsSync(this.at(file));
  }

  /** As a full disk or a copy that was cut off leaves it. */
  emptyLauncher(): void {
    fs.truncateSync(path.join(this.home, ".agents", "drwn", "bin", "hook"));
  }

  at(file: string): string {
    return path.resolve(this.project, file);
  }

  /** As when somebody deletes the program that the agents' entries start. */
  breakHook(): void {
    fs.rmSync(path.join(this.home, ".agents", "drwn", "bin", "hook"));
  }

  remove(): void {
    fs.chmodSync(this.folder, 0o700);
    makeWritable(this.folder);
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The store is read-only on purpose; a folder without write permission cannot be emptied. */
function makeWritable(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const child = path.join(folder, entry.name);
    fs.chmodSync(child, 0o700);
    makeWritable(child);
  }
}
