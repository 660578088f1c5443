import { spawn } from "node:child_process";
import type { Host } from "../kernel/host.ts";

/** Shows a file in the desktop's program for it. If there is none, that isn't a failure: the file exists. */
export function openFile({ env }: Host, file: string): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const shown = spawn(program, [file], { env: { ...env }, detached: true, stdio: "ignore" });
  shown.on("error", () => {});
  shown.unref();
}
