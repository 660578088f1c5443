import { ARAWN } from "./arawn/dialect.ts";
import { ASTRID } from "./astrid/dialect.ts";
import { HOOKER } from "./hooker/dialect.ts";
import type { Dialect } from "./importing/imported.ts";
import { POLYTOKEN } from "./polytoken/dialect.ts";
import { CLAUDE, CODEX } from "./settings/dialect.ts";

/**
 * Every foreign hook system, each in a folder here. Their tool calls are in `agents/adapters/calls.ts`, in the other
 * wing.
 */
export const DIALECTS: readonly Dialect[] = [ARAWN, ASTRID, CLAUDE, CODEX, HOOKER, POLYTOKEN];
