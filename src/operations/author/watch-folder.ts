import fs from "node:fs";
import path from "node:path";

/** Folders without the author's own work. */
const PASSED_OVER = new Set(["node_modules", ".git"]);

/**
 * Calls back for each change below a folder, until the signal. It watches each folder, not each file: most editors save
 * by replacing the file, and Node's own recursive watcher on Linux keeps watching the old one.
 */
export function watchFolder(folder: string, signal: AbortSignal, onChange: () => void): void {
  const watched = new Set<string>();
  watch(folder);

  function watch(at: string): void {
    if (watched.has(at)) return;
    watched.add(at);
    const watcher = fs.watch(at, { signal }, (_, name) => {
      if (name !== null && PASSED_OVER.has(name)) return;
      if (fs.existsSync(at)) watchBelow(at);
      else leave();
      onChange();
    });
    const leave = () => {
      watched.delete(at);
      watcher.close();
    };
    watcher.on("error", leave);
    watchBelow(at);
  }

  function watchBelow(at: string): void {
    for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) watch(path.join(at, entry.name));
    }
  }
}
