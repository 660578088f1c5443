import fs from "node:fs";
import { hasCode } from "../../kernel/atomic.ts";
import { isTerminal } from "../../kernel/terminal.ts";

/** stdout or stderr. */
export type OutputFd = 1 | 2;

/** Where all text of the CLI wing goes; one object, so that a test can listen. */
export const output = { write, isTerminal: (fd: OutputFd): boolean => isTerminal(fd) };

/** Node's own streams load its sockets, which takes as long as half of an empty program. */
function write(fd: OutputFd, text: string): void {
  // A console of Windows is not written in UTF-8: the stream knows.
  if (process.platform === "win32") (fd === 1 ? process.stdout : process.stderr).write(text);
  else writeAll(fd, Buffer.from(text));
}

/**
 * All of it, also where the reader is slow and does not let a writer wait; none of it where nobody reads any more. What is
 * said beside the answer decides nothing where it finds no room.
 */
function writeAll(fd: OutputFd, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      if (hasCode(error, "EAGAIN")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      else if (fd === 2 || hasCode(error, "EPIPE")) return;
      else throw error;
    }
  }
}
