import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { denyingPolicy, sourceWith, temporaryFolder, writeTree } from "../support/cards.ts";
import { startVerdaccio, type Verdaccio } from "../support/verdaccio.ts";

const PROGRAM = new URL("../../bin/drwn.js", import.meta.url).pathname;
/** The Node that the program runs with: the variable may name another one, such as the oldest that is supported. */
const NODE = process.env["DRWN_TEST_NODE"] || process.execPath;
const CANARY = "canary-of-a-token";
const run = promisify(execFile);

let verdaccio: Verdaccio;
let token: string;
beforeAll(async () => {
  verdaccio = await startVerdaccio();
  token = await verdaccio.token("ada");
});
afterAll(() => verdaccio.remove());

interface User {
  home: string;
  drwn(cwd: string, ...args: string[]): Promise<{ code: number; output: string }>;
}

/** Somebody with the real program and a home folder of their own. */
function user(npmrc: string): User {
  const home = writeTree(temporaryFolder(), { ".npmrc": npmrc });
  const env = { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", CARD_TOKEN: token };
  return {
    home,
    drwn: async (cwd, ...args) => {
      try {
        const { stdout, stderr } = await run(NODE, [PROGRAM, ...args], { cwd, env });
        return { code: 0, output: stdout + stderr };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        return { code, output: stdout + stderr };
      }
    },
  };
}

function keyOf(url: string): string {
  return `//${new URL(url).host}/:_authToken`;
}

describe("the real program and an npm registry", () => {
  test("publishes, and another machine installs what was locked, with no token in any file", async () => {
    const ada = user(`${keyOf(verdaccio.url)}=\${CARD_TOKEN}\n`);
    const source = sourceWith({ manifest: { name: "@team/guards" }, hooks: { guard: denyingPolicy("Bash") } });
    const project = temporaryFolder();
    const steps = [
      ["registry", "add", "team", verdaccio.url, "--scope", "@team"],
      ["card", "publish", source],
      ["init"],
      ["add", "@team/guards"],
      ["install", "--frozen"],
      ["card", "show", "@team/guards"],
      ["card", "show", "@team/guards"],
      ["search", "guards", "--registry", "team"],
      ["card", "deprecate", "@team/guards", "use another one"],
      ["outdated"],
      ["update"],
      ["install", "--vendor"],
    ];
    for (const step of steps) {
      const { code, output } = await ada.drwn(project, ...step);
      expect(`${step.join(" ")}: ${code} ${code === 0 ? "" : output}`).toBe(`${step.join(" ")}: 0 `);
      expect(output).not.toContain(token);
    }
    fs.rmSync(path.join(project, ".agents/drwn/vendor"), { recursive: true });
    const bob = user("");
    const refused = await bob.drwn(project, "install", "--frozen");
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(`drwn registry add team ${verdaccio.url}`);
    await bob.drwn(project, "registry", "add", "ours", verdaccio.url, "--scope", "@team");
    expect((await bob.drwn(project, "install", "--frozen")).output).toContain("Fetched @team/guards@1.0.0");
    for (const folder of [project, ada.home, bob.home]) expect(filesWith(folder, token)).toEqual([]);
  });

  test.each([
    ["nobody signs", ["--no-sign"], "each version waits for you, since nobody signs this card", "waits"],
    ["its publisher signs", [], "with the same key joins", "joins"],
  ])("of a card that %s, a later version does what the review said", async (word, flags, said, does) => {
    const ada = user(`${keyOf(verdaccio.url)}=\${CARD_TOKEN}\n`);
    const name = `@later/${word.split(" ").at(-2)}`;
    const publish = async (version: string, reason: string) => {
      const source = sourceWith({ manifest: { name, version }, hooks: { guard: denyingPolicy("Bash", reason) } });
      expect(await ada.drwn(source, "card", "publish", ".", "--registry", "team", ...flags)).toMatchObject({ code: 0 });
    };
    await ada.drwn(temporaryFolder(), "registry", "add", "team", verdaccio.url);
    await publish("1.0.0", "no");
    const bob = user("");
    const project = temporaryFolder();
    const steps = [
      ["registry", "add", "team", verdaccio.url, "--scope", "@later"],
      ["trust", "settings", "--release-age", "0"],
      ["init"],
      ["add", name],
    ];
    for (const step of steps) expect([step, await bob.drwn(project, ...step)]).toMatchObject([step, { code: 0 }]);
    const { output } = await bob.drwn(project, "card", "trust", name, "--range", "^1.0.0", "--yes");
    expect(output.replace(/\s+/gu, " ")).toContain(said);
    await bob.drwn(project, "write", "--runtime", "claude-code");
    await publish("1.0.1", "never");
    await bob.drwn(project, "update");
    await bob.drwn(project, "write");
    const inForce = (await bob.drwn(project, "list", "--json")).output;
    const { consent } = JSON.parse(inForce).cards[0];
    expect([consent.state, consent.inForce]).toEqual(does === "joins" ? ["active", "1.0.1"] : ["waits", "1.0.0"]);
  });

  test("names what is wrong with a token without repeating it", async () => {
    const eve = user(`${keyOf(verdaccio.url)}=${CANARY}\n`);
    const source = sourceWith({ manifest: { name: "@team/refused" } });
    await eve.drwn(source, "registry", "add", "team", verdaccio.url);
    for (const flags of [[], ["--json"]]) {
      const { code, output } = await eve.drwn(source, "card", "publish", ".", "--registry", "team", ...flags);
      expect(code).toBe(1);
      expect(output).toContain("DRWN_REGISTRY_REFUSED");
      expect(output).not.toContain(CANARY);
    }
    expect(filesWith(path.join(eve.home, ".agents"), CANARY)).toEqual([]);
  });
});

function filesWith(folder: string, text: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => fs.readFileSync(file).includes(text));
}
