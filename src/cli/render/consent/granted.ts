import { localTime } from "../../terminal/local-time.ts";

interface Granted {
  card: string;
  range: string;
  hooks: readonly string[];
  skills: readonly string[];
  terms: { expiresAt: string | null };
}

/** What was consented to, in a line. */
export function describeGranted({ card, range, hooks, skills, terms }: Granted): string {
  const until = terms.expiresAt === null ? "" : `, until ${localTime(terms.expiresAt)}`;
  return `Consented to the ${describeParts({ hooks, skills })} of ${card} in the range ${range}${until}`;
}

function describeParts({ hooks, skills }: Pick<Granted, "hooks" | "skills">): string {
  if (skills.length === 0) return "hook policies";
  const named = `${skills.length === 1 ? "skill" : "skills"} ${skills.join(", ")}`;
  return hooks.length === 0 ? named : `hook policies and the ${named}`;
}
