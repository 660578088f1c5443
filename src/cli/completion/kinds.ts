/** What a shell can offer where a word is still to be typed. */
export type Completes =
  | "card-or-call"
  | "hook-of-installed-card"
  | "hook-of-source"
  | "installed-card"
  | "part-of-source"
  | "preference"
  | "preference-value"
  | "published-card"
  | "registry"
  | "scope"
  | "source";
