import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Add from "../../src/cli/commands/add.ts";
import CardDeprecate from "../../src/cli/commands/card/deprecate.ts";
import CardShow from "../../src/cli/commands/card/show.ts";
import CardTrust from "../../src/cli/commands/card/trust.ts";
import Doctor from "../../src/cli/commands/doctor.ts";
import Install from "../../src/cli/commands/install.ts";
import List from "../../src/cli/commands/list.ts";
import Outdated from "../../src/cli/commands/outdated.ts";
import Remove from "../../src/cli/commands/remove.ts";
import Search from "../../src/cli/commands/search.ts";
import Status from "../../src/cli/commands/status.ts";
import TrustAccept from "../../src/cli/commands/trust/accept.ts";
import Trust from "../../src/cli/commands/trust.ts";
import Update from "../../src/cli/commands/update.ts";
import Why from "../../src/cli/commands/why.ts";
import Write from "../../src/cli/commands/write.ts";
import { escapeForTerminal, escapeJsonForTerminal } from "../../src/kernel/text.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { CARD, newProject, publish } from "../support/projects.ts";

/** Reorders, hides, has no width, and belongs to no line: what a manifest may hold and a terminal must not get. */
const MARKS = "\u202e\u2066\u200b\u200d\ufeff\u00ad\u{e0041}\u061c";
/** What a file may hold on top: colours, a title, a link, a cursor that goes home, a bell. */
const ESCAPES = "\u001b[31m\u001b]0;title\u0007\u001b]8;;https://evil.invalid\u0007\u001b[2J\u009b1A\r\u0008";
const UNPRINTABLE = /[^\P{Cc}\n]|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

const hostileCard = (version: string, line: string) => ({
  version,
  hooks: { guard: { matcher: "Bash" } },
  manifest: {
    description: `${MARKS}description`,
    author: `${MARKS}author`,
    license: `${MARKS}license`,
    keywords: [`${MARKS}keyword`],
    repository: `${MARKS}repository`,
    servers: { notes: { command: "node", args: [`${MARKS}server`] } },
    skills: { include: ["notes"] },
  },
  files: {
    "hooks/guard/README.md": `# ${MARKS}${ESCAPES}summary\n`,
    "hooks/guard/other.ts": `// ${MARKS}${ESCAPES}${line}\n`,
    "skills/notes/SKILL.md": `---\nname: notes\ndescription: ${MARKS}skill\n---\n!\`${MARKS}line\`\n`,
  },
});

/** A machine on which one version of the hostile card is approved and written, and another waits. */
async function hostileProject(): Promise<TestHost> {
  const host = newProject();
  await publish(host, hostileCard("1.0.0", "one"));
  await addCards(host, [CARD]);
  await publish(host, hostileCard("1.0.1", "two"));
  const requests = { [CARD]: { hooks: "^1.0.0" } };
  fs.writeFileSync(path.join(host.cwd, ".agents/drwn/trust.json"), JSON.stringify({ version: 1, requests }));
  fs.writeFileSync(path.join(host.cwd, ".agents/drwn", `${MARKS}claim`), "");
  return host;
}

type Run = readonly [name: string, Command: Parameters<typeof runCommand>[1], ...argv: string[]];

/** Every command that prints what a card, a registry or a repository says of itself. */
const RUNS: readonly Run[] = [
  ["card show", CardShow, CARD],
  ["card show, of no card", CardShow],
  ["search", Search, "me"],
  ["card deprecate", CardDeprecate, `${CARD}@1.0.0`, `${MARKS}deprecated`],
  ["status", Status],
  ["list", List],
  ["why", Why, CARD],
  ["trust", Trust],
  ["trust accept", TrustAccept, "--yes"],
  ["write", Write],
  ["update", Update],
  ["outdated", Outdated],
  ["card trust", CardTrust, CARD, "--hooks", "--yes", "--diff"],
  ["write again", Write],
  ["doctor", Doctor],
  ["trust, of a card", Trust, CARD],
  ["trust --log", Trust, "--log"],
  ["trust --export", Trust, "--export"],
  ["install", Install],
  ["add", Add, `${CARD}@1.0.0`],
  ["a card that is not there", CardShow, `@me/${MARKS}${ESCAPES}`],
  ["a flag that is not there", List, `--${MARKS}${ESCAPES}`],
  ["remove", Remove, CARD],
];

describe("text of others", () => {
  test.each([[], ["--json"]])("reaches the terminal as text, whichever command prints it (%s)", async (...flags) => {
    const host = await hostileProject();
    const printed: string[] = [];
    for (const [name, Command, ...argv] of RUNS) {
      const { stdout, stderr } = await runCommand(host, Command, ...argv, ...flags);
      expect([name, UNPRINTABLE.exec(stdout + stderr)]).toEqual([name, null]);
      if (flags.length > 0 && !argv.join().includes("-diff")) JSON.parse(stdout);
      printed.push(stdout + stderr);
    }
    // The commands did print it: what is shown in the place of the marks is there.
    const all = printed.join("\n");
    for (const word of ["description", "deprecated"])
      expect(all).toMatch(new RegExp(`(?:\\\\u\\{61c\\}|\\\\u061c)${word}`, "u"));
  });
});

test("letters that pass for Latin ones are shown by their number, in whatever a card says of itself", async () => {
  const name = "Pay\u0440al";
  const host = newProject();
  const card = {
    hooks: { guard: { matcher: "Bash" } },
    manifest: { description: `By ${name}`, license: name, keywords: ["guard"], skills: { include: ["notes"] } },
    files: {
      "hooks/guard/README.md": `# ${name} guards\n`,
      "skills/notes/SKILL.md": `---\nname: notes\ndescription: ${name}\n---\n!\`echo ${name}\`\n`,
    },
  };
  await publish(host, card);
  await addCards(host, [CARD]);
  for (const [Command, ...argv] of [
    [CardShow, CARD],
    [Search, "guard"],
    [CardTrust, CARD, "--hooks", "--yes"],
  ] as const) {
    const { stdout, stderr } = await runCommand(host, Command, ...argv);
    expect(stdout + stderr).toContain("Pay\\u{440}al");
    expect(stdout + stderr).not.toContain("\u0440");
  }
});

describe("the last door before the terminal", () => {
  test("lets colours and line breaks through, and nothing else that acts", () => {
    expect(escapeForTerminal("\u001b[1mbold\u001b[22m\nnext")).toBe("\u001b[1mbold\u001b[22m\nnext");
    const guarded = escapeForTerminal(`${MARKS}${ESCAPES}`);
    expect(guarded.replaceAll("\u001b[31m", "")).not.toMatch(UNPRINTABLE);
  });

  test("leaves a JSON document what it says", () => {
    const value = { [MARKS]: [ESCAPES, "plain\ntext", "🙂", "漢字"] };
    const guarded = escapeJsonForTerminal(JSON.stringify(value, null, 2));
    expect(guarded).not.toMatch(UNPRINTABLE);
    expect(JSON.parse(guarded)).toEqual(value);
  });

  test("is the only one: nothing else of the program writes text", () => {
    const folder = path.resolve(import.meta.dirname, "../../src/cli");
    const filesWith = (pattern: RegExp) =>
      fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts") && pattern.test(fs.readFileSync(path.join(folder, file), "utf8")));
    expect(filesWith(/\bwriteSync\(|process\.(?:stdout|stderr)\)?\.write|console\.(?:log|error|info|warn)\(/u)).toEqual(
      ["terminal/console.ts"],
    );
    expect(filesWith(/\boutput\b[^;]* from "[./]*\/console\.ts"/u)).toEqual([]);
  });
});
