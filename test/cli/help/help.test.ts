import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../support/cards.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const { commands: manifest } = JSON.parse(fs.readFileSync(path.join(ROOT, "oclif.manifest.json"), "utf8")) as {
  commands: Record<string, { id: string; hidden?: boolean }>;
};

function drwn(words: readonly string[], env: Record<string, string> = {}) {
  const home = temporaryFolder();
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(ROOT, "bin/drwn.js"), ...words], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** What a page lists, as it is typed; `…` stands for a page of its own. */
function listed(page: string): { commands: string[]; pages: string[] } {
  const names = [...page.matchAll(/^ {2}([a-z][a-z-]*(?: [a-z][a-z-]*)*)( …)? {2,}\S/gmu)];
  const commands = names.flatMap(([, name = "", more]) => (more === undefined ? [name] : []));
  return { commands, pages: names.map(([, name = ""]) => name) };
}

const isCommand = (name: string): boolean => Object.hasOwn(manifest, name.replaceAll(" ", ":"));

/** Every command on the first page, on those that it names, and so on. */
function visibleCommands(): Set<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (words: string[]): void => {
    if (seen.has(words.join(" "))) return;
    seen.add(words.join(" "));
    const { pages } = listed(drwn([...words, "--help"]).stdout);
    for (const name of pages) {
      if (isCommand(name)) found.add(name);
      if (!isCommand(name) || Object.keys(manifest).some((id) => id.startsWith(`${name.replaceAll(" ", ":")}:`))) {
        visit(name.split(" "));
      }
    }
  };
  visit([]);
  return found;
}

const ROOT_PAGE = `drwn: the package manager for agent hook policies

Usage: drwn <command> [arguments] [flags]

Use cards in a project
  init        Set up the current folder: agents, guards, your consent.
  search      Find cards by words.
  add         Add cards to the project.
  trust       Review everything that waits for your consent, consent, and write.
  write       Write the project's cards to the agents.
  install     Fetch and verify the cards that the project has locked.
  list        List the cards of the project.
  update      Lock newer versions of cards.
  remove      Take a card out of the project.

Author cards
  card …      Make, edit, test and publish cards.
  key …       Sign your cards, and know who signs those of others.

Diagnose
  status      Say where the project stands, and what to do next.
  doctor      Say what is not applied, and why.
  why         Say why a card is here, or why a call was denied.
  log         Show the calls that the hook judged.
  replay      Ask a card about the calls of your own past sessions.
  report      Make a page of what your guards did.
  allow       Let one denied call through, past one hook.
  explain     Say what a command does, and what the guards say.

Manage
  trust …     See your consents, take them back, and move them.
  registry …  Say where your cards come from.
  pause       Silence the hook policies of the project for some minutes.
  uninstall   Take drwn out of every agent and project on this machine.

\`drwn help <command>\` says more. Every command takes --json and --help.
\`drwn completion <shell>\` lets your shell complete commands and names.
`;

describe("the help", () => {
  test("begins with one page of at most 23 entries, each on one line of 80 columns", () => {
    const { status, stdout, stderr } = drwn(["--help"]);
    expect(stdout).toBe(ROOT_PAGE);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(listed(stdout).pages.length).toBeLessThanOrEqual(23);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    for (const words of [["-h"], ["help"]]) expect(drwn(words).stdout).toBe(stdout);
    expect(drwn([]).stdout).toBe(`${stdout}\nThis folder isn't in a drwn project. To guard it: drwn init\n`);
  });

  test("is the same page in colour", () => {
    const { stdout } = drwn(["--help"], { FORCE_COLOR: "1" });
    expect(stdout).toContain("\u001b[1mUsage:\u001b[22m drwn <command>");
    expect(stdout).toContain("\n\u001b[1mUse cards in a project\u001b[22m\n  init  ");
    expect(stdout.replace(/\u001b\[\d+m/gu, "")).toBe(ROOT_PAGE);
  });

  test("shows at most 40 of at most 50 commands on all pages together: those that are not hidden, and no other", () => {
    const visible = Object.values(manifest).flatMap(({ id, hidden }) => (hidden ? [] : [id.replaceAll(":", " ")]));
    expect([...visibleCommands()].sort()).toEqual(visible.sort());
    expect(visible.length).toBeLessThanOrEqual(40);
    expect(Object.keys(manifest).length).toBeLessThanOrEqual(50);
  });

  test.each(["card", "card source", "key", "registry", "hook"])(
    "has a page for `drwn %s`, which fits into 80 columns",
    (topic) => {
      const { status, stdout } = drwn(topic.split(" "));
      expect(listed(stdout).commands.filter((name) => name.startsWith(`${topic} `))).not.toEqual([]);
      expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
      expect(status).toBe(0);
      expect(drwn(["help", ...topic.split(" ")]).stdout).toBe(stdout);
    },
  );

  test("of a command names its arguments, its flags, the values they take, and examples", () => {
    const { status, stdout } = drwn(["explain", "--help"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Say what drwn understands of a shell command, and what each guard in force says$/mu);
    expect(stdout).toContain("\nUsage: drwn explain [command] … [flags]\n");
    expect(stdout).toMatch(
      /^ {6}--runtime NAME {2,}The agent that calls it\. \[default: claude-code, or another\n.*One of: arawn,/mu,
    );
    expect(stdout).toContain("\nExamples\n  drwn explain 'git push -f'\n");
    expect(drwn(["help", "explain"]).stdout).toBe(stdout);
  });

  test("isn't asked for behind `--`", () => {
    const { stderr } = drwn(["card", "source", "add", "mcp", "@me/gone", "docs", "--command", "node", "--", "--help"]);
    expect(stderr).toContain("DRWN_SOURCE_MISSING");
  });

  test("is one document with --json", () => {
    expect(JSON.parse(drwn(["card", "--json"]).stdout).help[0]).toBe("Make, publish, look at and trust cards.");
  });
});
