import fs from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { SYSTEM_SHELLS, whyNotSh } from "../../support/shells.ts";
import { SystemMachine, whyNoMachine } from "../../support/system-machine.ts";

const CARD = "@drwn/cloud";
const DENIED = "terraform destroy -auto-approve";
const NOBODY = 65_534;
const GEMINI = "gemini-cli/settings.json";
const ENTRY = "claude-code/managed-settings.d/50-drwn.json";

const why = whyNoMachine();

describe.skipIf(why !== undefined)(`what root wants for every user (${why ?? "run as root"})`, () => {
  let floor: SystemMachine;
  beforeAll(() => {
    floor = new SystemMachine();
    fs.mkdirSync(floor.at("codex"));
    fs.writeFileSync(floor.at("codex/requirements.toml"), OTHERS);
    fs.mkdirSync(floor.at("gemini-cli"));
    fs.writeFileSync(floor.at(GEMINI), OTHERS_OF_GEMINI);
    fs.mkdirSync(floor.at("odd,home"));
    fs.chownSync(floor.at("odd,home"), NOBODY, NOBODY);
    fs.symlinkSync("odd,home", floor.at("link-to-odd-home"));
    fs.mkdirSync(floor.at("home-of-a-link/.agents/drwn"), { recursive: true });
    fs.symlinkSync("/etc/drwn", floor.at("home-of-a-link/.agents/drwn/system"));
    const { status, stderr } = floor.drwn("add", "--system", "--trust", "--yes", CARD);
    if (status !== 0) throw new Error(stderr);
  });

  test("is found by every user, in root's own file of each agent, and its journal lies with the user", () => {
    expect(floor.call(DENIED).stdout).toContain('"deny"');
    expect(floor.call("true").stdout).toBe("");
    const lines = fs.readFileSync(
      floor.at(`home-of-nobody/.agents/drwn/system/projects/${floor.key}/journal.jsonl`),
      "utf8",
    );
    expect(
      lines
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).effective),
    ).toEqual(["deny", "allow"]);
    expect(lines).toContain('"mode":"restrict-only","scope":"system"');
  });

  test("blocks a call whose answer nobody can read, and names what root can run", () => {
    const full = ["/bin/sh", "-c", 'exec "$@" >/dev/full', "sh", ...floor.entry()];
    const { status, stderr } = floor.hook(full, DENIED, { HOME: USERS });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(
        /could not be written.*\(to remove the guards, root can run: drwn uninstall --system\)\n$/u,
      ),
    });
  });

  test("judges a call that is larger than a process with the fixed hash seed may read, and lays it nowhere", () => {
    const notes = floor.at(`home-of-nobody/.agents/drwn/system/projects/${floor.key}`);
    expect(floor.call(`${DENIED} #${"x".repeat(400_000)}`).stdout).toContain('"deny"');
    expect(fs.readdirSync(notes).filter((name) => name.startsWith("event"))).toEqual([]);
  });

  test.each<[string, Record<string, string>]>([
    ["no home", {}],
    ["a home that takes no files", { HOME: "/proc" }],
    ["a home that isn't there", { HOME: "/nowhere" }],
    ["a home that Node's permissions can't name", { HOME: "/etc/home-of-nobody,x" }],
    ["a link to such a home", { HOME: "/etc/link-to-odd-home" }],
    ["a journal's place that leads to root's state", { HOME: "/etc/home-of-a-link" }],
    ["a home that may only be read", { HOME: "/etc/ssl" }],
    ["another DRWN_HOME", { HOME: "/etc/home-of-nobody", DRWN_HOME: "/etc/home-of-nobody" }],
    ["an empty PATH", { HOME: "/etc/home-of-nobody", PATH: "" }],
  ])("holds for a user with %s", (_, env) => {
    expect(floor.call(DENIED, env).stdout).toContain('"deny"');
    expect(floor.call("true", env)).toMatchObject({ status: 0, stdout: "" });
  });

  test("holds whichever shell is the system's, and where its launcher ends the shell that reads it", () => {
    const machine = floor.copy();
    const shells = SYSTEM_SHELLS.filter((shell) => whyNotSh(shell) === undefined);
    for (const { name, program = "" } of shells) {
      machine.shell = program;
      expect([name, machine.call(DENIED, TELLING).stdout]).toEqual([name, expect.stringContaining('"deny"')]);
      const { status, stdout } = machine.call(DENIED, NUMBERS);
      expect([name, status === 2 || stdout.includes('"deny"')]).toEqual([name, true]);
    }
    const broken = floor.copy();
    for (const text of ["exit 0", "set -n"]) {
      fs.writeFileSync(broken.at("drwn/bin/hook"), text);
      for (const shell of ["/bin/sh", "/bin/bash"].filter((file) => fs.existsSync(file))) {
        broken.shell = shell;
        expect([shell, text, broken.call("true", TELLING).status]).toEqual([shell, text, 2]);
      }
    }
  });

  const ledger = `drwn/ledger/${"0".repeat(64)}.json`;
  test.each<[string, (machine: SystemMachine) => void]>([
    ["a ledger that a user owns", (machine) => fs.chownSync(machine.at(ledger), NOBODY, NOBODY)],
    ["a ledger that others can write to", (machine) => fs.chmodSync(machine.at(ledger), 0o646)],
    ["no ledger", (machine) => fs.rmSync(machine.at(ledger))],
    ["a plan that others can write to", (machine) => fs.chmodSync(machine.planFile(), 0o666)],
    ["no plan, as a killed write leaves it", (machine) => fs.rmSync(machine.planFile())],
    ["a link in the place of the plan", (machine) => intoLink(machine.planFile())],
    ["a folder that others can write to", (machine) => fs.chmodSync(machine.at("drwn/projects", machine.key), 0o777)],
    ["an /etc that others can write to", (machine) => fs.chmodSync(machine.etc, 0o777)],
    ["a hook program that a user owns", (machine) => fs.chownSync(machine.at("drwn/bin/hook.cjs"), NOBODY, NOBODY)],
    [
      "cached code that a user owns",
      (machine) => fs.chownSync(machine.at("drwn/bin/hook-calls.fixed-seed"), NOBODY, NOBODY),
    ],
    [
      "cached code that everybody can write to",
      (machine) => fs.chmodSync(machine.at("drwn/bin/hook-calls.fixed-seed"), 0o666),
    ],
    [
      "a note for the launcher that a user owns",
      (machine) => fs.chownSync(machine.at("drwn/projects", machine.key, "confined"), NOBODY, NOBODY),
    ],
    ["a link in the place of everything", (machine) => intoLink(machine.at("drwn"))],
    ["no launcher", (machine) => fs.rmSync(machine.at("drwn/bin/hook"))],
    ["a launcher cut short", (machine) => fs.truncateSync(machine.at("drwn/bin/hook"), 3_000)],
    ["state that users can't look into", (machine) => fs.chmodSync(machine.at("drwn/projects"), 0o700)],
    ["records that users can't look into", (machine) => fs.chmodSync(machine.at("drwn"), 0o700)],
    ["no state at all", (machine) => fs.rmSync(machine.at("drwn"), { recursive: true })],
  ])("blocks every call with the command that fixes it: %s", (_, spoil) => {
    const machine = floor.copy();
    spoil(machine);
    const { status, stdout, stderr } = machine.call("true");
    expect(status === 2 || stdout.includes('"deny"')).toBe(true);
    expect(stdout + stderr).toMatch(/sudo drwn (?:write|trust|doctor)\b.* --system/u);
  });

  test("is changed by root alone, and looked at by everybody", () => {
    const { status, stderr } = floor.drwnAsNobody("remove", CARD, "--system");
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`sudo drwn remove --system ${CARD}`),
    });
    expect(floor.drwnAsNobody("status", "--system", "--check")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("Guarded: Claude Code, Codex, Gemini CLI"),
    });
  });

  test("tells each user of their own calls, why one was denied, and what it would make of another", () => {
    floor.call(DENIED);
    expect(floor.drwnAsNobody("why", "--system").stdout).toContain(
      `enforcement  ${CARD}@1.0.0#keep-infrastructure  deny`,
    );
    const input = JSON.stringify({ command: DENIED });
    const explained = floor.drwnAsNobody("explain", "--system", "--tool", "Bash", "--input", input);
    expect(explained.stdout).toMatch(/"permissionDecision":"deny"/u);
    expect(floor.drwn("log", "--system").stderr).toContain("No call in the journal matches");
  });

  test("says to a user in whose home nothing can be noted that nothing is", () => {
    const told = floor.drwnAsNobodyIn("/etc/ssl", "doctor", "--system");
    expect(told).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^warning \/etc\/ssl: the hook notes no calls/mu),
    });
  });

  test("takes cards from where root's own settings say, whatever is a user's around `sudo`", () => {
    const machine = floor.copy();
    const users = "/etc/home-of-nobody";
    const npmrc = (whose: string) => `@acme:registry=http://127.0.0.1:9/${whose}/\nfetch-retries=0\n`;
    fs.writeFileSync(machine.at("drwn/.npmrc"), npmrc("roots"), { mode: 0o600 });
    fs.writeFileSync(machine.at("home-of-nobody/.npmrc"), npmrc("users"));
    const before = fs.readdirSync(machine.at("home-of-nobody"), { recursive: true });
    const env = {
      ...{
        HOME: users,
        DRWN_HOME: `${users}/drwn`,
        SUDO_USER: "nobody",
        XDG_CONFIG_HOME: users,
        XDG_CACHE_HOME: users,
      },
      ...{ NPM_CONFIG_USERCONFIG: `${users}/.npmrc`, npm_config_globalconfig: `${users}/.npmrc` },
      ...{ npm_config_registry: "http://127.0.0.1:9/users/", NODE_PATH: users, PATH: users },
    };
    const { status, stderr } = machine.drwnIn(env, "add", "--system", "@acme/floor");
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("127.0.0.1:9/roots") });
    expect(stderr).not.toContain("users");
    expect(fs.readdirSync(machine.at("home-of-nobody"), { recursive: true })).toEqual(before);
  });

  test("is told of by doctor with what even it does not withstand", () => {
    const { status, stdout } = floor.drwnAsNobody("doctor", "--system");
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("LD_PRELOAD"),
    });
    expect(stdout).toMatch(/^Guarded: Claude Code, Codex, Gemini CLI, except for 9 ways around it/u);
    // The machine's owner has closed that of Codex, and that of folders in Gemini CLI.
    expect(stdout).toContain("allowManagedHooksOnly");
    expect(stdout).not.toContain("allow_managed_hooks_only");
    expect(stdout).not.toContain("folderTrust");
  });

  test("is refused where others can write to /etc, with the command that fixes it", () => {
    const machine = floor.copy();
    fs.chmodSync(machine.etc, 0o777);
    const [, command = "false"] = /^hint: .*, or: (sudo .*)$/mu.exec(machine.drwn("write", "--system").stderr) ?? [];
    expect(machine.script(command.replaceAll("sudo ", "")).status).toBe(0);
    expect(machine.drwn("write", "--system")).toMatchObject({ status: 0, stdout: expect.stringContaining("Guarded:") });
  });

  test("is refused behind a link, without a command that would take what it leads to away", () => {
    const machine = floor.copy();
    intoLink(machine.at("drwn"));
    expect(machine.drwn("write", "--system").stderr).toMatch(
      /is a symbolic link.*\nhint: .*put the original in its place$/msu,
    );
  });

  test("is never said to stand where others could change it, or where the entry is gone", () => {
    const machine = floor.copy();
    fs.chownSync(machine.at(ledger), NOBODY, NOBODY);
    expect(machine.drwn("status", "--system").stdout + machine.drwn("write", "--system").stdout).not.toContain(
      "Guarded:",
    );
    fs.chownSync(machine.at(ledger), 0, 0);
    fs.rmSync(machine.at("codex/requirements.toml"));
    expect(machine.drwn("status", "--system", "--check")).toMatchObject({
      status: 3,
      stdout: expect.stringContaining("NOT GUARDED in Codex"),
    });
  });

  test.each<[string, string, (machine: SystemMachine) => void]>([
    ["NOT KNOWN", "a file of a user's", (machine) => fs.chownSync(machine.at(ENTRY), NOBODY, NOBODY)],
    ["NOT KNOWN", "a folder that others can write to", (machine) => fs.chmodSync(machine.at("claude-code"), 0o777)],
    [
      "NOT KNOWN",
      "beside a file that nobody can take in",
      (machine) => fs.writeFileSync(machine.at("claude-code/managed-settings.d/60-theirs.json"), "{"),
    ],
    ["NOT GUARDED", "a file that users can't read", (machine) => fs.chmodSync(machine.at(ENTRY), 0o600)],
    ["NOT GUARDED", "a folder that users can't look into", (machine) => fs.chmodSync(machine.at("claude-code"), 0o700)],
  ])("is %s where an agent's entry is %s", (said, _, spoil) => {
    const machine = floor.copy();
    spoil(machine);
    expect(machine.drwn("status", "--system", "--check")).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(new RegExp(`^${said}\\b.* in Claude Code: .*/etc/claude-code`, "mu")),
    });
  });

  test.each<[string, string, (machine: SystemMachine) => void]>([
    ["Every tool call is blocked in", "the ledger is cut short", (machine) => fs.truncateSync(machine.at(ledger), 5)],
    [
      "NOT GUARDED in Codex",
      "Codex's requirements are its owner's alone",
      (machine) => fs.writeFileSync(machine.at("codex/requirements.toml"), OTHERS),
    ],
  ])("is said to be: %s, where %s", (said, _, spoil) => {
    const machine = floor.copy();
    spoil(machine);
    expect(machine.drwn("status", "--system", "--check")).toMatchObject({
      status: 3,
      stdout: expect.stringContaining(said),
    });
  });

  test.each<[string, (text: string) => string]>([
    ["lets users switch hooks off", (text) => text.replace(/,\s*"hooksConfig": \{[^}]*\}/u, "")],
    ["switches hooks off", (text) => text.replace(/("enabled": )true/u, "$1false")],
    ["leaves root's hook out", (text) => text.replace(/("enabled": true)/u, '$1, "disabled": ["drwn-system"]')],
  ])("isn't said to stand in Gemini CLI where the owner %s", (_, change) => {
    const machine = floor.copy();
    const before = fs.readFileSync(machine.at(GEMINI), "utf8");
    fs.writeFileSync(machine.at(GEMINI), change(before));
    expect(fs.readFileSync(machine.at(GEMINI), "utf8")).not.toBe(before);
    expect(machine.drwn("status", "--system", "--check")).toMatchObject({
      status: 3,
      stdout: expect.stringContaining("NOT GUARDED in Gemini CLI"),
    });
  });

  test("keeps Claude Code closed to users' mods until root says otherwise", () => {
    const machine = floor.copy();
    const isClosed = (): boolean => fs.readFileSync(machine.at(ENTRY), "utf8").includes("allowManagedModsOnly");
    machine.drwn("write", "--system", "--no-mods");
    expect(isClosed()).toBe(true);
    expect(machine.drwn("write", "--system").stdout).toContain("Already up to date");
    machine.drwn("write", "--system", "--mods");
    expect(isClosed()).toBe(false);
  });

  test("takes no Node and no settings that a user could replace", () => {
    const machine = floor.copy();
    fs.copyFileSync(process.execPath, machine.at("home-of-nobody/node"));
    const replaceable = machine.drwn("write", "--system", "--node", "/etc/home-of-nobody/node");
    expect(replaceable.stderr).toContain("/etc/home-of-nobody belongs to another user");
    fs.chmodSync(machine.at("codex"), 0o777);
    fs.appendFileSync(machine.at("codex/requirements.toml"), "# more\n");
    fs.rmSync(machine.at("claude-code"), { recursive: true });
    fs.symlinkSync("/etc/home-of-nobody", machine.at("claude-code"));
    expect(machine.drwn("write", "--system").stderr).toContain("/etc/claude-code is a symbolic link");
  });

  test("is taken out byte for byte, and a call is free again", () => {
    const machine = floor.copy();
    const entry = machine.entry();
    expect(machine.drwn("uninstall", "--system").status).toBe(0);
    expect(fs.readFileSync(machine.at("codex/requirements.toml"), "utf8")).toBe(OTHERS);
    expect(fs.readFileSync(machine.at(GEMINI), "utf8")).toBe(OTHERS_OF_GEMINI);
    expect(fs.existsSync(machine.at("claude-code"))).toBe(false);
    expect(machine.hook(entry, DENIED, {})).toMatchObject({ status: 0, stdout: "" });
  });

  test("is taken out with everything of drwn's by a purge, which names before what it takes", () => {
    const machine = floor.copy();
    const entry = machine.entry();
    const kept = machine.drwn("uninstall", "--system").stdout;
    const removed = machine.drwn("uninstall", "--system", "--purge").stdout;
    for (const name of ["store", "bin", "ledger", "releases", "wiring.json"]) {
      expect(kept).toContain(`  /etc/drwn/${name}\n`);
      expect(removed).toContain(`remove /etc/drwn/${name}\n`);
    }
    expect(kept).toContain(
      "`sudo drwn write --system` puts the guards back; `sudo drwn uninstall --system --purge` removes them",
    );
    expect(fs.existsSync(machine.at("drwn"))).toBe(false);
    expect(machine.drwn("status", "--system").stdout).toMatch(/^Not guarded/u);
    expect(machine.hook(entry, DENIED, {}).status).toBe(2);
  });

  test("is taken out by a purge even if the record of its entries was lost", () => {
    const machine = floor.copy();
    fs.rmSync(machine.at("drwn/wiring.json"));
    expect(machine.drwn("uninstall", "--system", "--purge").stdout).not.toContain("kept:");
    expect(fs.existsSync(machine.at("drwn"))).toBe(false);
  });

  test.each(["status", "write"])("counts the ways around it in %s, which doctor names", (command) => {
    const { stdout } = floor.copy().drwn(command, "--system");
    expect(stdout).toContain("9 ways around it");
    expect(stdout).not.toContain("LD_PRELOAD");
  });
});

const USERS = "/etc/home-of-nobody";
/** What shells are told by, or find their words and programs by. */
const TELLING = {
  ...{
    HOME: USERS,
    PATH: "/usr/bin:/bin",
    IFS: "/",
    SHELLOPTS: "noexec",
    BASHOPTS: "extdebug",
    NODE_OPTIONS: "--check",
  },
  ...{ BASH_ENV: "/proc/version", ENV: "/proc/version", ZDOTDIR: USERS, "BASH_FUNC_command%%": "() { :; }" },
};
/** Some shells end where one of these isn't a number. */
const ODD = ["OPTIND", "LINENO", "COLUMNS", "LINES", "SECONDS", "TMOUT", "HISTSIZE"];
const NUMBERS = { HOME: USERS, ...Object.fromEntries(ODD.map((name) => [name, "x"])) };

/** Of the machine's owner, with a hook of theirs. */
const OTHERS_OF_GEMINI = `{
  "security": { "folderTrust": { "enabled": false } },
  "hooks": { "BeforeTool": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] }
}`;

/** Of the machine's owner: without a last line break. */
const OTHERS = `# ours\nallow_managed_hooks_only = true\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "true"`;

function intoLink(file: string): void {
  fs.renameSync(file, `${file}.real`);
  fs.symlinkSync(`${file.replace(/^.*\/etc\//u, "/etc/")}.real`, file);
}
