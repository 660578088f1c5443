import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { writeTree } from "../support/cards.ts";
import { publishGuard, succeed, type TestPerson } from "../support/people.ts";
import { type Look, openSession, personOfJourney, type Session } from "./session.ts";

interface Journey {
  /** What was before. */
  prepare?: (person: TestPerson) => void;
  play: (session: Session, person: TestPerson) => Promise<void>;
  /** The terminal redraws nothing: whatever reads it aloud has each line once. */
  isPlain?: boolean;
}

/** Open: one that was answered has another sign before it. */
const ASK = "◆ Let these policies of @me/one run in this project?";

const POLICY = `import { defineToolPolicy } from "darwinian-minds/hook-policy";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  beforeToolCall: ({ input }) =>
    String((input as { command?: unknown }).command).includes("rm -r")
      ? { action: "deny", reason: "removing folders is for people" }
      : undefined,
});
`;

const CASES = `{"id":"a folder","tool":"Bash","input":{"command":"rm -rf build"},"expect":"deny"}
{"id":"a list","tool":"Bash","input":{"command":"ls"},"expect":"allow"}
`;

/** In force: a guard that denies Bash. */
function guarded(person: TestPerson): void {
  publishGuard(person);
  succeed(person.drwn("init"));
  succeed(person.drwn("add @me/one --trust --yes"));
}

/** The call of an agent, as its settings have it made. */
function callOfAgent({ home, project, env, sh }: TestPerson, command: string): void {
  const settings = JSON.parse(fs.readFileSync(path.join(home, ".claude/settings.json"), "utf8"));
  const { command: launcher, args } = settings.hooks.PreToolUse[0].hooks[0];
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, session_id: "s" };
  writeTree(home, {
    "event.json": JSON.stringify({ ...event, cwd: project }),
    "ask.sh": `"${launcher}" ${args.join(" ")}`,
  });
  expect(env["HOME"]).toBe(home);
  succeed(sh(`CLAUDE_PROJECT_DIR='${project}' sh '${home}/ask.sh' < '${home}/event.json'`));
}

/**
 * What `npm install -g` makes of the packed package, without npm: that installs from the network, and is run by `.ci/installed`. The
 * libraries beside it are the checkout's.
 */
function installPacked({ home }: TestPerson): void {
  const base = path.dirname(home);
  const installed = path.join(base, "prefix/lib/node_modules/darwinian-minds");
  fs.mkdirSync(installed, { recursive: true });
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", base], {
    cwd: CHECKOUT,
    encoding: "utf8",
  }).trim();
  execFileSync("tar", ["-xzf", path.join(base, packed), "--strip-components=1", "-C", installed]);
  fs.symlinkSync(path.join(CHECKOUT, "node_modules"), path.join(installed, "node_modules"));
  writeTree(base, { "programs/drwn": `#!/bin/sh\nexec "${process.execPath}" "${installed}/bin/drwn.js" "$@"\n` });
}

const CHECKOUT = path.resolve(import.meta.dirname, "../..");

export const JOURNEYS: Readonly<Record<string, Journey>> = {
  install: {
    prepare: installPacked,
    play: async ({ type, press }) => {
      await type("drwn --version");
      await type("drwn init");
      await press(" ", "◆ Which guards do you want?");
      await press("\r", "◼ @drwn/cloud");
      await press("y", "◆ Let these policies of @drwn/cloud");
      await type(`drwn explain --tool Bash --input '{"command":"terraform destroy -auto-approve"}'`);
      await type("drwn status --check && echo guarded");
      await type("drwn uninstall --purge");
      await type("drwn status");
    },
  },
  "first-guard": {
    play: async ({ type, press }) => {
      await type("drwn init");
      await press(" ", "◆ Which guards do you want?");
      await press("\r", "◼ @drwn/cloud");
      await press("y", "◆ Let these policies of @drwn/cloud");
      await type("drwn status");
    },
  },
  "read-aloud": {
    isPlain: true,
    prepare: publishGuard,
    play: async ({ type, press }) => {
      await type("drwn init");
      await press("\n", "nothing for none, then Enter:");
      await type("drwn init");
      await press("2\n", "nothing for none, then Enter:");
      await press("y\n", "v or r, then Enter:");
      await type("drwn add @me/one --trust");
      await press("v\n", "v or r, then Enter:");
      await press("y\n", "v or r, then Enter:");
      await type("drwn status");
    },
  },
  author: {
    prepare: ({ home }) => void writeTree(home, { "policy.ts": POLICY, "cases.jsonl": CASES }),
    play: async ({ type }) => {
      await type("drwn card new @me/one --into .");
      await type("drwn card source add-hook . guard-rm");
      await type("cp ../home/policy.ts ../home/cases.jsonl hooks/guard-rm");
      await type(`drwn card test . --tool Bash --input '{"command":"rm -rf build"}'`);
      await type("drwn card source doctor .");
      await type("drwn card test .");
      await type("drwn card publish .");
    },
  },
  "team-clone": {
    prepare: (person) => {
      publishGuard(person);
      for (const line of ["init", "add @me/one"]) succeed(person.drwn(line));
      succeed(person.sh("git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm guards"));
    },
    play: async ({ type, press }) => {
      await type("git clone -q . ../clone && cd ../clone");
      await type("drwn");
      await type("drwn init");
      await press("v", ASK);
      await press("y", ASK);
      await type("drwn status");
    },
  },
  "upgrade-review": {
    prepare: (person) => {
      guarded(person);
      publishGuard(person, { version: "2.0.0" });
    },
    play: async ({ type, press }) => {
      await type("drwn outdated");
      await type("drwn update --latest");
      await press("r", ASK);
      await press("d", ASK);
      await press("y", ASK);
      await type("drwn write");
      await type("drwn list");
    },
  },
  denial: {
    prepare: (person) => {
      guarded(person);
      succeed(person.drwn("log --inputs keep"));
      callOfAgent(person, "rm -rf build");
    },
    play: async ({ type, press }) => {
      await type("drwn log");
      await type("drwn why");
      await type("drwn allow");
      await press("\r", "◆ Which call may run?");
      await press("y", "◆ Let this call through?");
      await type(`drwn explain --tool Bash --input '{"command":"ls"}'`);
      await type("echo '{\"hooks\":{}}' > ../home/.claude/settings.json");
      await type("drwn status");
      await type("drwn doctor");
      await type("drwn write");
      await type("drwn status");
    },
  },
  uninstall: {
    prepare: guarded,
    play: async ({ type }) => {
      await type("drwn uninstall --dry-run");
      await type("drwn uninstall");
      await type("drwn status");
    },
  },
};

/** Plays it in a terminal like this, and compares what that shows with what is kept. */
export async function expectAsKept(name: string, look: Look): Promise<void> {
  const journey = JOURNEYS[name] ?? expect.fail();
  const person = personOfJourney();
  journey.prepare?.(person);
  const session = openSession(person, { ...look, isPlain: journey.isPlain === true });
  await journey.play(session, person);
  const file = `${import.meta.dirname}/golden/${name}.${look.columns}${look.isColoured ? ".colour" : ""}.txt`;
  await expect(await session.screen()).toMatchFileSnapshot(file);
  if (journey.isPlain === true) expect(session.sent()).not.toMatch(/\u001b|\r(?!\r*\n)/u);
}
