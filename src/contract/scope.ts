/**
 * The key of what a user consented to for every folder. It is a project like any other, except that the launcher finds
 * it in another way: its consents hold in each session, beside those of the session's project.
 */
export const GLOBAL_KEY = "0000000000000000000000000000000000000000000000000000000000000000";
