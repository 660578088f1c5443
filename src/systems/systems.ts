import { ARAWN } from "./arawn/dialect.ts";
import { ASTRID } from "./astrid/dialect.ts";
import { HOOKER } from "./hooker/dialect.ts";
import type { Dialect } from "./importing/imported.ts";
import { POLYTOKEN } from "./polytoken/dialect.ts";
import { CLAUDE, CODEX } from "./settings/dialect.ts";

/** Every foreign hook system, each a folder here. Its tool calls are in `agents/adapters/calls.ts`, on the other wing. */
export const DIALECTS: readonly Dialect[] = [ARAWN, ASTRID, CLAUDE, CODEX, HOOKER, POLYTOKEN];
