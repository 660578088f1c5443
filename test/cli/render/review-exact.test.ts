import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import Add from "../../../src/cli/commands/add.ts";
import CardDeprecate from "../../../src/cli/commands/card/deprecate.ts";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import CardUntrust from "../../../src/cli/commands/card/untrust.ts";
import CardYank from "../../../src/cli/commands/card/yank.ts";
import Doctor from "../../../src/cli/commands/doctor.ts";
import Explain from "../../../src/cli/commands/explain.ts";
import Install from "../../../src/cli/commands/install.ts";
import List from "../../../src/cli/commands/list.ts";
import Log from "../../../src/cli/commands/log.ts";
import Outdated from "../../../src/cli/commands/outdated.ts";
import Remove from "../../../src/cli/commands/remove.ts";
import ReportCommand from "../../../src/cli/commands/report.ts";
import Status from "../../../src/cli/commands/status.ts";
import Trust from "../../../src/cli/commands/trust.ts";
import Uninstall from "../../../src/cli/commands/uninstall.ts";
import Update from "../../../src/cli/commands/update.ts";
import Why from "../../../src/cli/commands/why.ts";
import Write from "../../../src/cli/commands/write.ts";
import { listCalls } from "../../../src/operations/diagnose/log.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { callTool } from "../../hostile/machine.ts";
import { packedCard } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { CARD, type CardParts, newProject, publish } from "../../support/projects.ts";
import { SystemMachine, whyNoMachine } from "../../support/system-machine.ts";

const SAID = "«drwn write, sudo drwn install, drwn card trust @me/x --hooks, calls of this project»";
const COMMANDS = [
  "add",
  "doctor",
  "list",
  "log",
  "outdated",
  "pause",
  "remove",
  "status",
  "trust",
  "uninstall",
  "update",
];
const ALL = `«${SAID.slice(1, -1)}, ${COMMANDS.map((command) => `drwn ${command}`).join(", ")}»`;

const POLICY = `// ${ALL}\nimport { defineToolPolicy } from "darwinian-minds/hook-policy";\n`;

/** A card that talks of drwn's commands wherever it can. */
const TALKING: CardParts = {
  hooks: {
    guard: {
      matcher: "Bash",
      options: { limit: { type: "integer", default: 3, minimum: 1, maximum: 9, description: SAID } },
    },
  },
  manifest: {
    description: SAID,
    skills: { include: ["tidy"] },
    servers: { tools: { command: "drwn", args: ["write"], env: { X: "drwn install" } } },
  },
  files: {
    "hooks/guard/README.md": `# ${SAID}\n`,
    "hooks/guard/policy.ts": POLICY,
    "skills/tidy/SKILL.md": `---\nname: tidy\ndescription: x\nallowed-tools: Bash(drwn write)\n---\n!\`${ALL}\`\n`,
  },
};

async function talkingCard() {
  const host = { ...newProject(), scope: "global" as const };
  await publish(host, TALKING);
  await addCards(host, [CARD]);
  return { host };
}

test("a review for every folder shows the card's words as they are, in each part of it", async () => {
  const { host } = await talkingCard();
  const { stderr } = await runCommand(host, CardTrust, CARD, "--hooks", "--yes", "--diff", "--global", "--verbose");
  expect(stderr).toContain(`\n  “${SAID}”\n`);
  expect(stderr).toContain(`guard “${SAID}”`);
  expect(stderr).toMatch(new RegExp(`option +guard\\.limit: .*\\n +“${SAID}”`, "u"));
  expect(stderr).toContain(`// ${ALL}`);
  expect(stderr).toContain("allowed-tools: Bash(drwn write)");
  expect(stderr.split("\n").filter((line) => /drwn [a-z ]*--global|global scope/u.test(line))).toEqual([]);
  const why = await runCommand(host, Why, CARD, "--global");
  expect(why.stdout).toContain("drwn write");
  expect(why.stdout.split("\n").filter((line) => line.includes("MCP server") && line.includes("--global"))).toEqual([]);
  const written = await runCommand(host, Write, "--global");
  expect(written.stdout).not.toContain("drwn write --global");
});

test("a publisher's words about a deprecated version stay as they are", async () => {
  const { host } = await talkingCard();
  await runCommand(host, CardDeprecate, `${CARD}@1.0.0`, SAID);
  const { stderr } = await runCommand(host, Install, "--global");
  expect(stderr).toContain(`is deprecated: “${SAID}”`);
});

test("the input of a call that is saved as a case stays as it is", async () => {
  const { host } = await talkingCard();
  await runCommand(host, CardTrust, CARD, "--hooks", "--yes", "--global");
  await runCommand(host, Write, "--global");
  await runCommand(host, Log, "--inputs", "keep", "--global");
  callTool(host, host.cwd, { command: "ls", hint: ALL, message: ALL, nested: [{ fix: ALL, review: ALL }] });
  const [call] = listCalls(host, {}, 1);
  const { stdout } = await runCommand(host, Log, "--save-case", call?.id ?? "", "--json", "--global");
  expect(stdout.split(JSON.stringify(ALL)).length - 1).toBe(4);
});

/** Texts of the card in what was printed that got a flag or lost their words. */
function rewritten(printed: string): string[] {
  return (printed.match(/«[^»…]*[»…]?/gu) ?? []).filter((text) =>
    /--global|--system|(?:global|system) scope|sudo drwn (?!install)/u.test(text),
  );
}

test("no command about every folder changes a byte of what a card says", async () => {
  const { host } = await talkingCard();
  const printed = new Map<string, string>();
  const run = async (command: Parameters<typeof runCommand>[1], ...words: string[]) => {
    for (const format of [[], ["--json"]]) {
      const { stdout, stderr } = await runCommand(host, command, ...words, ...format, "--global");
      printed.set(`${command.name} ${[...words, ...format].join(" ")}`, `${stdout}\n${stderr}`);
    }
  };
  const lookAround = async () => {
    await run(Status);
    await run(List);
    await run(Outdated);
    await run(Doctor);
    await run(Doctor, "--verbose");
    await run(Trust);
    await run(Trust, "--log");
    await run(Why, CARD);
    await run(Log);
    await run(ReportCommand);
  };
  await lookAround();
  await run(CardTrust, CARD, "--hooks", "--yes", "--diff");
  await lookAround();
  await run(Write, "--dry-run");
  await run(Write);
  const page = path.join(host.home, "report.html");
  await runCommand(host, ReportCommand, "--out", page, "--global");
  printed.set("the page of a report", fs.readFileSync(page, "utf8"));
  callTool(host, host.cwd, { command: `rm ${SAID}`, hint: ALL, message: ALL });
  await run(Explain, "--tool", "Bash", "--input", JSON.stringify({ command: SAID, hint: ALL, message: ALL }));
  await run(Log, "--stats");
  await runCommand(host, CardDeprecate, `${CARD}@1.0.0`, SAID);
  await runCommand(host, CardYank, `${CARD}@1.0.0`);
  await lookAround();
  await run(Install);
  await run(Update);
  await run(CardUntrust, CARD, "--hooks");
  await lookAround();
  await run(Remove, CARD);
  await run(Uninstall);
  const changed = [...printed].flatMap(([command, text]) => rewritten(text).map((one) => `${command}: ${one}`));
  expect(changed).toEqual([]);
  // It looked at something: most of them print what the card says.
  expect([...printed.values()].filter((text) => text.includes("«")).length).toBeGreaterThan(8);
});

test("adding a card at once, with its review, changes no byte of it either", async () => {
  const { host } = await talkingCard();
  const { stdout, stderr } = await runCommand(host, Add, CARD, "--trust", "--yes", "--global");
  expect(stderr).toContain(`\n  “${SAID}”\n`);
  expect(rewritten(stdout + stderr)).toEqual([]);
});

const why = whyNoMachine();

test.skipIf(why !== undefined)(
  `a review for every user shows the card's words as they are (${why ?? "run as root"})`,
  async () => {
    const machine = new SystemMachine();
    fs.writeFileSync(machine.at("card.tgz"), (await packedCard(TALKING)).tarball);
    const printed = [
      ["add", "--system", "file:/etc/card.tgz"],
      ["card", "trust", "--system", CARD, "--hooks", "--yes", "--diff"],
      ["add", "--system", "file:/etc/card.tgz", "--trust", "--yes"],
      ["write", "--system"],
      ["status", "--system"],
      ["doctor", "--system", "--verbose"],
      ["why", "--system", CARD],
      ["why", "--system", CARD, "--json"],
      ["card", "untrust", "--system", CARD, "--hooks"],
      ["list", "--system", "--json"],
    ].map((words) => {
      const { stdout, stderr } = machine.drwn(...words);
      return stdout + stderr;
    });
    expect(printed.slice(1, 3).filter((text) => text.includes(`\n  “${SAID}”\n`))).toHaveLength(2);
    expect(printed[1]).toContain(`// ${ALL}`);
    expect(printed.flatMap(rewritten)).toEqual([]);
    expect(printed[1]).toContain("Next: sudo drwn write --system");
  },
);

test("drwn's own advice has its scope, for programs as for people", async () => {
  const { host } = await talkingCard();
  const why = await runCommand(host, Why, CARD, "--json", "--global");
  expect(JSON.parse(why.stdout).inForce.because).toContain("in the global scope");
  const report = await runCommand(host, ReportCommand, "--json", "--global");
  expect(JSON.parse(report.stdout).waiting).toMatchObject([{ command: "drwn trust --global" }]);
  const { stdout } = await runCommand(host, CardTrust, CARD, "--hooks", "--yes", "--global");
  expect(stdout).toContain("drwn write --global");
});
