import fs from "node:fs";
import path from "node:path";
import { layout } from "../../src/contract/layout.ts";
import { pauseProject } from "../../src/operations/project/pause.ts";
import { writeTree } from "../support/cards.ts";
import type { TestHost } from "../support/host.ts";
import { CARD, GUARD, publish } from "../support/projects.ts";
import { succeed } from "./hinted.ts";

export interface Row {
  /** What is typed. */
  line: string;
  /** What it says to type, without the `drwn`. */
  says: string;
  /** What somebody did before. */
  before?: (host: TestHost) => unknown;
  /** The command of the hint ends so, since it shows what is wrong. */
  ends?: number;
}

export const KEY = `ed25519:${"A".repeat(43)}`;
const MODULE = "darwinian-minds/hook-policy";

function own(host: TestHost, files: Record<string, string>): void {
  writeTree(path.join(host.drwnHome, "sources/@me/own"), files);
}

const policyWith = (code: string) => `import { defineToolPolicy } from "${MODULE}";
${code}
export default defineToolPolicy({ policyKind: "enforcement", matcher: "Bash", beforeToolCall: () => undefined });
`;

/** In a project without cards, in this order. */
export const WITHOUT_CARDS: readonly Row[] = [
  { line: "card source doctor @me/own", says: "card new @me/own" },
  { line: "card source doctor ./nothing", says: "card source doctor @me/own" },
  { line: "card test", says: "card test @me/own" },
  { line: "card test @me/onw", says: "card test @me/own" },
  { line: "card source add-hook early @me/own", says: "card source add-hook @me/own early" },
  { line: "add @me/own", says: "card publish @me/own" },
  { line: "card new @me/other --from @drwn/nothing", says: "search @drwn" },
  { line: "add @drwn/nothing", says: "search @drwn" },
  { line: "card show @drwn/gti@^1.0.0", says: "card show @drwn/git@^1.0.0" },
  { line: "add Nothing-Like-It", says: "search nothing-like-it" },
  { line: "remove @me/own", says: "list" },
  { line: "card new @me/copy --from @drwn/git", says: "card source doctor @me/copy" },
  {
    line: "card publish @me/own",
    says: "card source set @me/own --version 1.0.1",
  },
  {
    line: "card publish @me/own",
    says: "card source set @me/own --version 1.1.0",
    before: (host) => succeed(host, "card source add-hook @me/own guard"),
  },
  {
    line: "card publish @me/own",
    says: "card test @me/own",
    ends: 1,
    before: (host) => {
      own(host, { "hooks/guard/policy.ts": policyWith("") });
      own(host, { "hooks/guard/cases.jsonl": '{"id":"a","tool":"Bash","input":{"command":"ls"},"expect":"deny"}\n' });
    },
  },
  {
    line: "card source doctor @me/own",
    says: "card source set @me/own --capability guard=fs-read",
    before: (host) =>
      own(host, { "hooks/guard/policy.ts": policyWith('import fs from "node:fs";\nfs.existsSync("/");') }),
  },
  {
    line: "card source doctor @me/own",
    says: "card source remove-hook @me/own guard",
    before: (host) => fs.rmSync(path.join(host.drwnHome, "sources/@me/own/hooks/guard/policy.ts")),
  },
  { line: "registry add default --scope @drwn", says: "card new @me/git --from @drwn/git" },
  { line: "config set nothing 1", says: "config" },
  {
    line: "config",
    says: "config unset terminal",
    before: (host) => fs.writeFileSync(layout.preferences(host.drwnHome), '{"terminal":"mauve"}'),
  },
  {
    line: "config",
    says: "config unset",
    before: (host) => fs.writeFileSync(layout.preferences(host.drwnHome), "{"),
  },
  { line: "trust --adopt", says: "status" },
  { line: "registry remove nothing", says: "registry list" },
  {
    line: "registry add team ./elsewhere",
    says: "registry remove team",
    before: (host) => succeed(host, "registry add team ./there"),
  },
  {
    line: "registry remove team",
    says: "registry add default --scope @them",
    before: (host) => succeed(host, "registry add team ./there --scope @them"),
  },
  { line: "key trust --undo @nobody", says: "key list" },
  { line: "key list @mine", says: "key new @mine" },
  { line: "key new @mine", says: "key new @mine --rotate" },
  { line: "update @me/backend", says: "add @me/backend", before: (host) => publish(host, GUARD) },
  {
    line: "card test @me/own --hook stray",
    says: "card source add-hook @me/own stray",
    before: (host) => own(host, { "hooks/stray/policy.ts": policyWith("") }),
  },
];

/** Where a guard is in force, in this order. */
export const WITH_A_GUARD: readonly Row[] = [
  { line: "why 0000", says: "log" },
  { line: "allow --remove 123456789abc", says: "allow --list" },
  { line: `card trust ${CARD} --hooks --hook nothing --yes`, says: `card trust ${CARD} --hooks --all-hooks` },
  { line: `card trust ${CARD} --hooks --range '*' --yes`, says: `card trust ${CARD} --hooks --range ^1.0.0` },
  { line: `card trust ${CARD} --hooks --range ^2 --yes`, says: `card trust ${CARD} --hooks --range ^1.0.0` },
  {
    line: "doctor",
    says: `card trust ${CARD} --hooks --expires 30d`,
    before: (host) => succeed(host, `card trust ${CARD} --hooks --expires 2d --yes`, "write"),
  },
  {
    line: "doctor",
    says: "write --also codex",
    before: (host) => {
      fs.mkdirSync(path.join(host.home, ".codex"), { recursive: true });
      return succeed(host, "write --runtime claude-code");
    },
  },
  {
    line: "doctor",
    says: `update ${CARD}`,
    before: (host) => succeed(host, `card yank ${CARD}@1.0.0`),
  },
  { line: "doctor", says: `card trust ${CARD} --hooks --on-yank stand-down` },
  { line: "doctor", says: "write --no-project", before: (host) => succeed(host, "write --project") },
  {
    line: "status",
    says: "pause --end",
    before: (host) => pauseProject({ ...host, isAtTerminal: true, now: () => new Date() }, 10),
  },
  { line: "uninstall", says: "uninstall --purge" },
];

/** What only a person may do, as an agent tries it where a guard is in force. */
export const PERSONS: readonly string[] = [
  `card trust ${CARD} --hooks --range ^1.0.0 --shadow --expires 30d --yes`,
  `card trust ${CARD} --hooks --restrict-only --yes`,
  `card untrust ${CARD} --hooks`,
  `card set ${CARD} guard.limit=3`,
  `card yank ${CARD}@1.0.0`,
  `card yank ${CARD}@1.0.0 --undo`,
  "card publish @me/own",
  "card publish @me/own --key ./my.key",
  `remove ${CARD}`,
  "write --project",
  "write --runtime codex --no-project",
  "uninstall --purge",
  "uninstall --shared",
  "pause --minutes 10",
  "trust --adopt",
  "trust --no-adopt",
  "trust settings --ancestry",
  `trust request ${CARD}`,
  `trust request ${CARD} --withdraw`,
  "key new @me",
  "key new @me --rotate",
  "key list @me --secret",
  `key trust ${KEY} @me`,
  "key trust --undo @theirs --yes",
  "config set terminal plain",
  "config unset terminal",
  "config unset",
  `card show ${CARD} --accept-fewer`,
];
