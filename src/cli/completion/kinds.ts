/** What a shell can offer for the next word. */
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
