import fs from "node:fs";
import path from "node:path";
import { layout } from "../../src/contract/layout.ts";
import {
  type JournaledCall,
  type JournaledVerdict,
  noteAnswer,
  openJournal,
  writeJournal,
} from "../../src/hook/journal/journal.ts";
import { NO_OPINION, type PolicyAnswer } from "../../src/hook/run/policy-answer.ts";
import type { PreparedPolicy } from "../../src/hook/verify/read-policy.ts";
import { temporaryFolder } from "./cards.ts";
import { somePrepared } from "./policies.ts";

/** A journal as the hook process writes it, without the process. */
export interface TestJournal {
  notes: string;
  home: string;
  key: string;
  file: string;
  /** Opens the journal as a call does at its beginning. Calling the result writes the line. */
  begin: (call?: Partial<JournaledCall>) => (end?: Partial<JournaledVerdict>, said?: readonly Said[]) => void;
  lines: () => string[];
}

export interface Said {
  /** `@scope/name@version#hook` */
  policy: string;
  kind?: "enforcement" | "observer";
  answer?: Partial<PolicyAnswer>;
  /** What the agent could carry of it; everything when absent. */
  carried?: PolicyAnswer["action"];
  isApplied?: boolean;
  scope?: PreparedPolicy["scope"];
}

const KEY = "ab".repeat(32);

export function newJournal(key: string = KEY, home: string = temporaryFolder()): TestJournal {
  const file = layout.journal(home, key);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return {
    home,
    notes: home,
    key,
    file,
    begin: (call = {}) => {
      const journal = openJournal(
        { home, notes: home, key, isExplained: false, isTraced: false, keepsInputs: call.input != null, begun: 0 },
        { runtime: "claude-code", phase: "pre-tool", tool: "Bash", input: null, callId: "", session: "", ...call },
      );
      return (end = {}, said = []) => {
        for (const { policy, kind = "enforcement", answer = {}, carried, isApplied = true, scope = null } of said) {
          const bundle = `sha256-${"5".repeat(64)}`;
          const prepared = somePrepared({ label: policy, name: policy, kind, bundle, scope });
          const said = { ...NO_OPINION, ...answer };
          const noted = { answer: said, carried: carried ?? said.action, isApplied, begun: 0 };
          noteAnswer(journal, prepared, noted);
        }
        writeJournal(journal, { verdict: "allow", effective: "allow", problem: null, ruling: null, ...end });
      };
    },
    lines: () => fs.readFileSync(file, "utf8").split("\n").slice(0, -1),
  };
}
