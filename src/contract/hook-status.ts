/**
 * How the hook process ends when it has done its work, and how the launcher does for a caller that names this number. It is no status
 * that a program ends with by accident, so that an empty program, or one that comes to its end without an answer, is no answer. The
 * entry in an agent's settings makes 0 of it.
 */
export const ANSWERED = 100;

/** How a process that was started for another plan than the ledger names ends, before it has read the event. The launcher starts another. */
export const SUPERSEDED = 101;
