import fs from "node:fs";
import { isatty } from "node:tty";

/** Whether a person may sit at it. */
export function isTerminal(fd: number): boolean {
  // To answer, Node loads its sockets, which takes longer than most commands: asked only of what may be a terminal.
  return mayBeTerminal(fd) && isatty(fd);
}

function mayBeTerminal(fd: number): boolean {
  try {
    return process.platform === "win32" || fs.fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}
