import fs from "node:fs";
import { hasCode } from "../../kernel/atomic.ts";
import { isTerminal } from "../../kernel/terminal.ts";

/** stdout or stderr. */
export type OutputFd = 1 | 2;

/** Where all text of the CLI wing goes; one object, so that a test can listen. */
export const output = { write, isTerminal: (fd: OutputFd): boolean => isTerminal(fd) };

/** Avoids Node's own streams: they load its sockets, which takes half as long as an empty program. */
function write(fd: OutputFd, text: string): void {
  // A Windows console doesn't take UTF-8; Node's stream knows how to write to it.
  if (process.platform === "win32") (fd === 1 ? process.stdout : process.stderr).write(text);
  else writeAll(fd, Buffer.from(text));
}

/**
 * Writes all of it, even if the reader is slow and the descriptor doesn't block; stops without an error if nobody reads
 * any more. Talk on stderr that finds no room fails nothing.
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
