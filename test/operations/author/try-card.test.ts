import { expect, test } from "vitest";
import { tryCard } from "../../../src/operations/author/try-card.ts";
import { sourceWith } from "../../support/cards.ts";
import { newJournal } from "../../support/journals.ts";
import { openProjectKey } from "../../support/machine-state.ts";
import { newProject, owning } from "../../support/projects.ts";

const REPEATS = `import { defineToolPolicy } from "darwinian-minds/hook-policy";
export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  beforeToolCall: (event) => ({ action: "deny", reason: JSON.stringify(event.input) }),
});`;

test("the last call of the journal is asked about as it was made, and named by its id", async () => {
  const host = newProject();
  const journal = newJournal(openProjectKey(host), host.drwnHome);
  journal.begin({ input: '{"command":"rm -rf build"}' })();
  const source = sourceWith({ hooks: { guard: REPEATS } });
  const { answers, call } = await tryCard(owning(host, source), { source, event: { from: "journal" }, allowed: [] });
  expect(answers[0]?.judgement?.reason).toBe('{"command":"rm -rf build"}');
  expect(journal.lines().at(-1)).toContain(`"hash":"${call}`);
});
