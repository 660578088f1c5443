/**
 * How the hook process ends when it has done its work, and how the launcher does for a caller that names this number. It isn't a status
 * that a program ends with by accident, so that an empty program, or one that comes to its end without an answer, isn't an answer. The
 * entry in an agent's settings makes 0 of it.
 */
export const ANSWERED = 100;

/** How a process that was started for another plan than the ledger names ends, before it has read the event. The launcher starts another. */
export const SUPERSEDED = 101;

/**
 * How a process ends whose hashes anybody can foretell, when the event is too large for that: it has told the launcher what it has read, for
 * the process that the launcher starts next. One that was started before its call has kept the event in a file, of any size where another plan
 * came into force.
 */
export const HANDED_ON = 102;

/**
 * The output on which a confined process says `ANSWERED` before it kills itself: to take down everything that Node set up costs a fortieth
 * of the hook, and nobody needs it. Any program of the user's can send it a signal; only the launcher's own process has this output.
 */
export const WORD_OUTPUT = 5;

/**
 * What a process that was started before its call says there first, where it has more to say than that it has answered: that so many bytes are on
 * its output, or the answer itself, where that is one line which a shell reads as it is.
 */
export const TEXT_FOLLOWS = "text";
export const LINE = "line";
