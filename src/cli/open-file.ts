import { spawn } from "node:child_process";
import type { Host } from "../kernel/host.ts";

/** Shows a file in what the person's desktop has for it. That there is nothing that could is no failure: the file is there. */
export function openFile({ env }: Host, file: string): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const shown = spawn(program, [file], { env: { ...env }, detached: true, stdio: "ignore" });
  shown.on("error", () => {});
  shown.unref();
}
