import fs from "node:fs";
import path from "node:path";
import { type Browser, chromium } from "playwright-core";

/** An installed Chromium; null: there is none on PATH. */
export function findChromium(): string | null {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const places = ["chromium", "chromium-browser", "google-chrome"].flatMap((name) =>
    folders.map((folder) => path.join(folder, name)),
  );
  return places.find((place) => fs.existsSync(place)) ?? null;
}

/** Starts it without its sandbox, which root cannot have: it sees only our own pages. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}
