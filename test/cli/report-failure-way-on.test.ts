import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Add from "../../src/cli/commands/add.ts";
import Init from "../../src/cli/commands/init.ts";
import Install from "../../src/cli/commands/install.ts";
import ReportCommand from "../../src/cli/commands/report.ts";
import Status from "../../src/cli/commands/status.ts";
import Write from "../../src/cli/commands/write.ts";
import { openProject } from "../../src/project/open/open-project.ts";
import { writeTree } from "../support/cards.ts";
import { type CommandClass, runCommand } from "../support/cli.ts";
import { testHost } from "../support/host.ts";
import { CARD, newProject, publish } from "../support/projects.ts";

describe("a project of the other tool of this name", () => {
  const CONFIGS = [
    '{ "schema": "drwn.project-config", "schemaVersion": 1, "workers": [], "activeWorker": null }',
    '{ "version": 1, "cards": ["@me/policy@^1.0.0"], "activeMinds": [] }',
    '{ "version": 1, "servers": {}, "skills": {} }',
    '{ "version": 1, "cards": {}, "workers": [] }',
    '{ "schema": "drwn.project-config", "schemaVersion": 2, "minds": [] }',
  ];
  test.each<[string, CommandClass]>([
    ["install", Install],
    ["status", Status],
    ["write", Write],
    ["init", Init],
  ])("is named as that by drwn %s, with a way on that works", async (_, Command) => {
    for (const config of CONFIGS) {
      const host = testHost();
      writeTree(host.cwd, { ".agents/drwn/config.json": config });
      const { stderr, exitCode } = await runCommand(host, Command);
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(/belongs to another tool that is called drwn, too.*\[DRWN_PROJECT_FOREIGN\]/u),
      ]);
      expect(stderr).toContain(`mv ${host.cwd}/.agents/drwn ${host.cwd}/.agents/drwn-other && drwn init`);
      fs.renameSync(path.join(host.cwd, ".agents/drwn"), path.join(host.cwd, ".agents/drwn-other"));
      expect((await runCommand(host, Init)).exitCode).toBe(0);
    }
  });
});

describe("files of the other tool of this name", () => {
  const LOCKS = [
    '{ "lockfileVersion": 3, "store": { "minDrwnVersion": "0.5.0" }, "cards": [] }',
    '{ "schema": "drwn.project-lock", "schemaVersion": 1, "workerRoots": [], "cards": [] }',
  ];

  test.each(LOCKS)("a card.lock is named as that, beside a config.json of this drwn, too: %s", async (lock) => {
    for (const config of [{}, { ".agents/drwn/config.json": '{ "version": 1, "cards": {} }' }]) {
      const host = testHost();
      writeTree(host.cwd, { ...config, ".agents/drwn/card.lock": lock });
      const Command = Object.keys(config).length === 0 ? Init : Install;
      const file = `${host.cwd}/.agents/drwn/card.lock`;
      const { stderr, exitCode } = await runCommand(host, Command);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("another tool that is called drwn, too")]);
      expect(stderr).toContain(`mv ${file} ${file}-other && drwn ${Command === Init ? "init" : "install"}`);
      fs.renameSync(file, `${file}-other`);
      expect((await runCommand(host, Command)).exitCode).toBe(0);
    }
  });

  test("of a home that is the other tool's, the hint names a home of one's own", async () => {
    const host = testHost();
    writeTree(host.drwnHome, { "config.json": '{ "catalogCheckouts": [] }' });
    await runCommand(host, Init);
    const { stderr } = await runCommand(host, Add, "@drwn/git");
    expect(stderr).toContain("another tool that is called drwn keeps its state there: export DRWN_HOME=~/.drwn");
    expect((await runCommand({ ...host, drwnHome: `${host.home}/.drwn` }, Add, "@drwn/git")).exitCode).toBe(0);
  });
});

describe("a config.json that isn't this drwn's", () => {
  const CONFIGS = [
    "",
    "[]",
    "null",
    "7",
    "{}",
    '[cards]\nname = "x"\n',
    '{ "version": "2.0", "cards": {} }',
    "{ version: 2 }",
  ];
  test.each<[string, CommandClass]>([
    ["install", Install],
    ["init", Init],
    ["status", Status],
  ])("is named as that by drwn %s, with a way on that works", async (_, Command) => {
    for (const config of CONFIGS) {
      const host = testHost();
      writeTree(host.cwd, { ".agents/drwn/config.json": config });
      const { stderr, exitCode } = await runCommand(host, Command);
      expect([config, exitCode, stderr]).toEqual([config, 1, expect.stringContaining("isn't one of this drwn's")]);
      expect(stderr).toContain(`mv ${host.cwd}/.agents/drwn ${host.cwd}/.agents/drwn-other && drwn init`);
      fs.renameSync(path.join(host.cwd, ".agents/drwn"), path.join(host.cwd, ".agents/drwn-other"));
      expect((await runCommand(host, Init)).exitCode).toBe(0);
    }
  });

  test.each([
    ["with a slip", '{ "version": 1, "cards": {}, }'],
    ["with an unknown field", '{ "version": 1, "cards": {}, "card": {} }'],
    [
      "that git could not merge",
      '{\n  "version": 1,\n<<<<<<< a\n  "cards": {}\n=======\n  "cards": { }\n>>>>>>> b\n}\n',
    ],
  ])("is not said of one of this drwn's %s", async (_, config) => {
    const host = testHost();
    writeTree(host.cwd, { ".agents/drwn/config.json": config });
    for (const Command of [Status]) {
      const { stderr, exitCode } = await runCommand(host, Command);
      expect([exitCode, stderr]).toEqual([1, expect.not.stringContaining("isn't one of")]);
    }
  });
});

test("report --out makes no folders, and names the command that does", async () => {
  const host = newProject();
  const { stderr, exitCode } = await runCommand(host, ReportCommand, "--out", "no/such/page.html");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`mkdir -p ${host.cwd}/no/such`)]);
  expect(fs.existsSync(path.join(host.cwd, "no"))).toBe(false);
  expect((await runCommand(host, ReportCommand, "--out", "page.html")).exitCode).toBe(0);
});

test("report --out replaces a file, behind a link, too, and nothing else", async () => {
  const host = newProject();
  const at = (name: string) => path.join(host.cwd, name);
  execFileSync("mkfifo", [at("pipe")]);
  fs.mkdirSync(at("folder"));
  fs.writeFileSync(at("page.html"), "a former page");
  for (const [link, leadsTo] of Object.entries({ link: "page.html", linked: "pipe", dangling: "nothing" }))
    fs.symlinkSync(leadsTo, at(link));
  // Nobody can make a file in the last one.
  for (const name of ["pipe", "folder", "linked", "dangling", "page.html/x", "/proc/self/x"]) {
    const { stderr, exitCode } = await runCommand(host, ReportCommand, "--out", name);
    expect([name, exitCode, stderr]).toEqual([name, 1, expect.stringContaining(name.replace(/.x$/u, ""))]);
  }
  const kindOf = (name: string) => fs.lstatSync(at(name));
  expect([kindOf("pipe").isFIFO(), kindOf("folder").isDirectory()]).toEqual([true, true]);
  expect(["linked", "dangling"].map((name) => fs.readlinkSync(at(name)))).toEqual(["pipe", "nothing"]);
  expect((await runCommand(host, ReportCommand, "--out", "link")).exitCode).toBe(0);
  expect([fs.readlinkSync(at("link")), fs.readFileSync(at("page.html"), "utf8")]).toEqual([
    "page.html",
    expect.stringContaining("What your guards did"),
  ]);
});

test.each<[string, (file: string) => void]>([
  ["a file that nobody may write to", (file) => fs.writeFileSync(file, "mine", { mode: 0o444 })],
  [
    "such a file behind a link",
    (file) => {
      fs.writeFileSync(`${file}-real`, "mine", { mode: 0o400 });
      fs.symlinkSync(`${file}-real`, file);
    },
  ],
])("report --out leaves %s as it is, and names the command that lets it go on", async (_, make) => {
  const host = newProject();
  const file = path.join(host.cwd, "page.html");
  make(file);
  const { stderr, exitCode } = await runCommand(host, ReportCommand, "--out", "page.html");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`chmod u+w ${fs.realpathSync(file)}`)]);
  expect(fs.readFileSync(file, "utf8")).toBe("mine");
});

test("a consent whose settings cannot be written is said to be recorded", async () => {
  const host = newProject();
  await publish(host);
  writeTree(host.home, { ".claude/settings.json": "{ // a comment\n}" });
  const { stderr, exitCode } = await runCommand(host, Add, CARD, "--trust", "--yes");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("your consent is recorded");
  expect(openProject(host).ledger?.grants).toHaveLength(1);
});
