import fs from "node:fs";
import { isatty } from "node:tty";

/** Whether it is a terminal, at which a person may sit. */
export function isTerminal(fd: number): boolean {
  // `isatty` makes Node load its sockets, which takes longer than most commands, so only possible terminals are asked
  // about.
  return mayBeTerminal(fd) && isatty(fd);
}

function mayBeTerminal(fd: number): boolean {
  try {
    return process.platform === "win32" || fs.fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}
