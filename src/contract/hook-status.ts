/**
 * The exit status of a hook process that has done its work, and of the launcher for a caller that names this number. No
 * program ends with it by accident, so an empty program, or one that ends without an answer, doesn't count as an
 * answer. The entry in an agent's settings turns it into 0.
 */
export const ANSWERED = 100;

/**
 * The exit status of a process that was started for a plan that isn't in force. It hasn't read the event; the launcher
 * starts another.
 */
export const SUPERSEDED = 101;

/**
 * The exit status of a process whose hashes anybody can foretell, if the event is too large for it. It has told the
 * launcher what it has read, for the process that the launcher starts next.
 */
export const HANDED_OVER = 102;

/**
 * The descriptor on which a confined process says `ANSWERED` before it kills itself, because an orderly exit takes a
 * fortieth of the hook's time. The signal alone proves nothing, since any of the user's programs can send it; only the
 * launcher's own process has this output.
 */
export const STATUS_FD = 5;
