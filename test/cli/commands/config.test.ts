import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Config from "../../../src/cli/commands/config.ts";
import { complete } from "../../../src/cli/completion/complete.ts";
import { readCommandFacts, readNames } from "../../../src/cli/names/names.ts";
import { keepInputs } from "../../../src/operations/diagnose/log.ts";
import { PREFERENCES, prefersPlain, readPreferences } from "../../../src/operations/preferences.ts";
import { listOutdated } from "../../../src/operations/project/outdated.ts";
import { updateCards } from "../../../src/operations/project/update.ts";
import { runCommand } from "../../support/cli.ts";
import { checkGenerated } from "../../support/generated-page.ts";
import { testHost } from "../../support/host.ts";
import { GUARD, inAgent, installed, lockedVersions, publish, trust, write } from "../../support/projects.ts";

const DEFAULTS = {
  "log.inputs": "denied",
  terminal: "auto",
  "update.wait": 0,
};

describe("drwn config", () => {
  test("sets, gets, lists and unsets, and remembers nothing else", async () => {
    const host = testHost();
    const drwn = (...words: string[]) => runCommand(host, Config, ...words);
    expect(readPreferences(host.drwnHome)).toEqual(DEFAULTS);
    expect(fs.existsSync(host.drwnHome)).toBe(false);
    expect((await drwn("set", "update.wait", "3")).stdout).toBe("3\n");
    expect((await drwn("set", "terminal", "plain")).stdout).toBe("plain\n");
    expect((await drwn("get", "update.wait")).stdout).toBe("3\n");
    expect(readPreferences(host.drwnHome)).toEqual({ ...DEFAULTS, terminal: "plain", "update.wait": 3 });
    const { preferences } = JSON.parse((await drwn("--json")).stdout);
    expect(preferences.find(({ key }: { key: string }) => key === "terminal")).toMatchObject({
      isSet: true,
      value: "plain",
    });
    expect((await drwn()).stdout).toMatch(/^update\.wait {2}3: how many days/mu);
    await drwn("unset", "terminal");
    expect(readPreferences(host.drwnHome)).toEqual({ ...DEFAULTS, "update.wait": 3 });
    await drwn("unset");
    expect(readPreferences(host.drwnHome)).toEqual(DEFAULTS);
  });

  test.each<[string[], string]>([
    [["set", "update.wait", "366"], "expected: a whole number of days from 0 to 365"],
    [["set", "update.wait", "many"], "update.wait cannot be `many`"],
    [["set", "terminal", "red"], "expected: auto or plain"],
    [["set", "\u001b[2Jx", "1"], "there is no preference `\\u{1b}[2Jx`"],
    [["unset", "nothing"], "there is no preference `nothing`"],
    [["set", "terminal"], "expected: list, get KEY, set KEY VALUE"],
  ])("refuses %j, and changes nothing", async (words, said) => {
    const host = testHost();
    const { stderr, exitCode } = await runCommand(host, Config, ...words);
    expect(stderr).toContain(said);
    expect(exitCode).not.toBe(0);
    expect(readPreferences(host.drwnHome)).toEqual(DEFAULTS);
  });

  test("is for people: an agent's tool call changes nothing", async () => {
    const host = inAgent(testHost());
    expect((await runCommand(host, Config, "set", "terminal", "plain")).stderr).toContain(
      "an agent may not change preferences",
    );
    expect((await runCommand(host, Config, "unset")).stderr).toContain("an agent may not change preferences");
  });

  test.each<[string, string, string, string]>([
    ["no JSON", '{\n  "terminal": ', "preferences.json, line 2", "drwn config unset\n"],
    ["a list", "[]", "preferences.json", "drwn config unset\n"],
    ["a value that cannot be", '{\n  "update.wait": "x"\n}', "line 2", "drwn config unset update.wait\n"],
    ["a key that is none", '{\n  "a b": 1\n}', "preferences.json", "drwn config unset 'a b'\n"],
  ])("names the place and the cure where the file has %s, and the cure works", async (_, text, place, cure) => {
    const host = testHost();
    fs.mkdirSync(host.drwnHome, { recursive: true });
    fs.writeFileSync(path.join(host.drwnHome, "preferences.json"), text);
    const { stderr, exitCode } = await runCommand(host, Config);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("DRWN_FILE_INVALID")]);
    expect(stderr).toContain(place);
    expect(stderr.endsWith(`hint: ${cure}`)).toBe(true);
    const words = cure.trim().replaceAll("'", "").split(" ").slice(2);
    await runCommand(host, Config, "unset", ...(words.length > 1 ? [words.slice(1).join(" ")] : []));
    expect(readPreferences(host.drwnHome)).toEqual(DEFAULTS);
  });
});

describe("a preference", () => {
  test("terminal says how every question is asked; a damaged file keeps none from being asked", async () => {
    const host = testHost();
    await runCommand(host, Config, "set", "terminal", "plain");
    expect(prefersPlain(host.drwnHome)).toBe(true);
    fs.writeFileSync(path.join(host.drwnHome, "preferences.json"), "{");
    expect(prefersPlain(host.drwnHome)).toBe(false);
  });

  test("log.inputs is for projects that are new, and `drwn log --inputs` has the last word", async () => {
    const host = await installed(GUARD);
    await runCommand(host, Config, "set", "log.inputs", "keep");
    await trust(host);
    await write(host);
    expect(keepInputs(host, undefined).inputs).toBe("keep");
    keepInputs(host, "denied");
    await write(host);
    expect(keepInputs(host, undefined).inputs).toBe("denied");
  });

  test("update.wait leaves a release alone until it is old enough", async () => {
    const host = await installed(GUARD);
    await publish(host, { ...GUARD, version: "1.4.0" });
    await runCommand(host, Config, "set", "update.wait", "3");
    const all = { names: [], latest: false, dryRun: false };
    await updateCards(host, all);
    expect(lockedVersions(host)).toEqual(["@me/backend@1.0.0"]);
    expect((await listOutdated(host)).cards.filter(({ wanted, installed: now }) => wanted !== now)).toEqual([]);
    const later = new Date(host.now().getTime() + 4 * 86_400_000);
    await updateCards({ ...host, now: () => later }, all);
    expect(lockedVersions(host)).toEqual(["@me/backend@1.4.0"]);
  });

  test("is completed, and so is what it can be", async () => {
    const known = { commands: readCommandFacts(), names: readNames() };
    const offered = async (...words: string[]) =>
      (await complete(testHost(), ["config", ...words], known)).map(({ value }) => value);
    expect(await offered("")).toEqual(["list", "get", "set", "unset"]);
    expect(await offered("set", "")).toEqual(Object.keys(PREFERENCES));
    expect(await offered("set", "terminal", "")).toEqual(["auto", "plain"]);
  });

  test("is on its page", () => {
    const rows = Object.entries(PREFERENCES).map(
      ([key, { about, expected, default: preset }]) => `| \`${key}\` | ${about} | ${expected} | ${preset} |\n`,
    );
    const table = `| key | says | is | by default |\n| --- | --- | --- | --- |\n${rows.join("")}`;
    checkGenerated("docs/reference/preferences.md", table);
  });
});
