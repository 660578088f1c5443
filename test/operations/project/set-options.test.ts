import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Add from "../../../src/cli/commands/add.ts";
import CardSet from "../../../src/cli/commands/card/set.ts";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import Trust from "../../../src/cli/commands/trust.ts";
import type { OptionDeclarations } from "../../../src/contract/ledger.ts";
import type { Host } from "../../../src/kernel/host.ts";
import { readConsentHistory } from "../../../src/operations/machine/consents.ts";
import { exportConsents } from "../../../src/operations/machine/portable-consents.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { requestConsent } from "../../../src/operations/project/request.ts";
import { grantConsent, parseTyped, reviewConsent } from "../../../src/operations/project/trust.ts";
import { isWaiting, previewWrite } from "../../../src/operations/project/write.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { runCommand } from "../../support/cli.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { CARD, type CardParts, inAgent, installed, plant, trust, write } from "../../support/projects.ts";

const OPTIONS: OptionDeclarations = {
  allow: { type: "globs", default: [], description: "Branches that may be force-pushed." },
  protect: { type: "globs", default: ["main"], description: "Branches that nobody pushes to.", tightens: true },
  strict: { type: "boolean", default: false, description: "Whether to be strict." },
};

function cardWith(options: OptionDeclarations, version = "1.0.0"): CardParts {
  return { version, hooks: { push: { matcher: "Bash", options } } };
}

const valuesIn = (host: Host) => openProject(host).ledger?.grants[0]?.options;

function ask(host: Host, options: unknown): void {
  const file = path.join(host.cwd, ".agents/drwn/trust.json");
  fs.writeFileSync(file, JSON.stringify({ version: 1, requests: { [CARD]: { hooks: "^1.0.0", options } } }));
}

async function upgradeTo(host: Parameters<typeof write>[0], options: OptionDeclarations) {
  // A publisher who minds no rule of version steps.
  await plant(host, cardWith(options, "1.0.1"));
  await addCards(host, [CARD]);
  return write(host);
}

describe("the options of a card", () => {
  test("are nothing that a project may tighten where the card holds in every folder", async () => {
    const host = await installed(cardWith(OPTIONS));
    await runCommand(host, Add, "-g", CARD);
    const { stderr } = await runCommand(host, CardTrust, CARD, "-g", "--hooks", "--yes", "--verbose");
    expect(stderr).toContain("option       push.protect: main (the default)\n");
  });

  test("are set with the consent, shown with their defaults, kept in the grant, and in the log", async () => {
    const host = await installed(cardWith(OPTIONS));
    const set = ["--set", "push.allow=user/*", "--set", "push.allow=a,b", "--set", "push.strict=true"];
    const { stderr, exitCode } = await runCommand(host, CardTrust, CARD, "--hooks", "--yes", "--verbose", ...set);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("option       push.allow: user/*, a,b (default: none)");
    expect(stderr).toContain("option       push.protect: main (the default; this project may tighten it by itself)");
    expect(stderr).toContain("“Branches that nobody pushes to.”");
    expect(valuesIn(host)).toEqual({ push: { allow: ["user/*", "a,b"], protect: ["main"], strict: true } });
    expect((await runCommand(host, Trust, CARD)).stdout).toContain('option      push.allow=["user/*","a,b"]');
    expect(readConsentHistory(host, CARD).events.map(({ what, option, by }) => [what, option, by])).toEqual([
      ["granted", undefined, "person"],
      ["set", 'push.allow=["user/*","a,b"]', "person"],
      ["set", "push.strict=true", "person"],
    ]);
  });

  test("stay as they are over a renewed consent, and are set and reset by `card set`", async () => {
    const host = await installed(cardWith(OPTIONS));
    await runCommand(host, CardTrust, CARD, "--hooks", "--yes", "--set", "push.allow=user/*");
    await trust(host);
    expect(valuesIn(host)?.["push"]?.["allow"]).toEqual(["user/*"]);
    const set = await runCommand(
      host,
      CardSet,
      CARD,
      "push.protect=trunk",
      "push.protect=main",
      "--reset",
      "push.allow",
    );
    expect(set.stdout).toContain('push.allow=[], formerly ["user/*"]');
    expect(valuesIn(host)).toEqual({ push: { allow: [], protect: ["trunk", "main"], strict: false } });
    expect((await runCommand(host, CardSet, CARD)).stdout).toContain('push.protect=["trunk","main"]');
    expect((await runCommand(host, CardSet, CARD, "push.protect=main", "push.protect=trunk")).stdout).toContain(
      "up to date",
    );
    expect((await runCommand(host, Trust, CARD, "--log")).stdout).toContain("push.protect");
  });

  test.each([
    ["push.strict=yes", "true or false"],
    ["push.allow={a", "globs"],
    ["push.gone=1", "push.allow, push.protect, push.strict"],
    ["other.allow=x", "push.allow, push.protect, push.strict"],
    ["push.allow", "hook.option=value"],
    ["__proto__.x=1", "hook.option=value"],
    ["push.constructor=1", "push.allow"],
  ])("refuse %s where it is given, with the declaration", async (typed, says) => {
    const host = await installed(cardWith(OPTIONS));
    const options = () => ({ options: [parseTyped(typed)] });
    const problem = await problemOf(() => reviewConsent(host, { card: CARD, range: null, ...options() }));
    expect([problem.code, textOf(problem)]).toEqual(["DRWN_OPTION_INVALID", expect.stringContaining(says)]);
  });

  test("are set by no agent", async () => {
    const host = await installed(cardWith(OPTIONS));
    await trust(host);
    const { exitCode, stderr } = await runCommand(inAgent(host), CardSet, CARD, "push.strict=true");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("DRWN_AGENT_SESSION")]);
    expect(valuesIn(host)?.["push"]?.["strict"]).toBe(false);
  });

  test("travel with an exported consent", async () => {
    const host = await installed(cardWith(OPTIONS));
    await runCommand(host, CardTrust, CARD, "--hooks", "--yes", "--set", "push.strict=true");
    expect(exportConsents(host).consents[0]?.options?.["push"]?.["strict"]).toBe(true);
  });

  test("are no part of a grant where the card has none", async () => {
    const host = await installed({ hooks: { push: {} } });
    await trust(host);
    expect(Object.keys(openProject(host).ledger?.grants[0] ?? {})).not.toContain("options");
  });
});

describe("a new version", () => {
  const { allow, protect, strict } = OPTIONS as Record<"allow" | "protect" | "strict", OptionDeclarations[string]>;

  test.each<[string, OptionDeclarations, string]>([
    ["drops an option", { allow, protect }, "strict: true or false → gone"],
    ["renames one", { permit: allow, protect, strict }, "→ gone"],
    [
      "gives one another type",
      { allow: { ...allow, type: "strings" } as typeof allow, protect, strict },
      "→ at most 100 different lines",
    ],
    [
      "lets a project set what only a person could",
      { allow: { ...allow, tightens: true } as typeof allow, protect, strict },
      "which a project may tighten",
    ],
  ])("that %s waits", async (_, options, says) => {
    const host = await installed(cardWith(OPTIONS));
    await trust(host);
    await write(host);
    const { plan, findings } = await upgradeTo(host, options);
    expect(plan.policies.map(({ cardVersion }) => cardVersion)).toEqual(["1.0.0"]);
    expect(findings.find(isWaiting)?.message).toContain(says);
  });

  test("with one more option and other defaults joins; what was consented to stays", async () => {
    const host = await installed(cardWith(OPTIONS));
    await trust(host);
    await write(host);
    const more = { type: "integer", default: 1, description: "More." } as const;
    const looser = { ...protect, default: [] } as typeof protect;
    const { plan } = await upgradeTo(host, { allow, protect: looser, strict, more });
    expect(plan.policies.map(({ cardVersion }) => cardVersion)).toEqual(["1.0.1"]);
    expect(valuesIn(host)?.["push"]?.["protect"]).toEqual(["main"]);
    const { stdout } = await runCommand(host, CardSet, CARD);
    expect(stdout).toContain("push.more=1");
  });
});

describe("what a project asks for in trust.json", () => {
  test("is taken by `write` as far as it tightens, stays, and is in the log", async () => {
    const host = await installed(cardWith(OPTIONS));
    await trust(host);
    ask(host, { push: { protect: ["release"], strict: true, allow: ["**"] } });
    const { findings } = await write(inAgent(host));
    expect(valuesIn(host)).toEqual({ push: { allow: [], protect: ["main", "release"], strict: false } });
    expect(findings.filter(({ code }) => code === "option-asked").map(({ hint }) => hint)).toEqual([
      `drwn trust request ${CARD} --set push.strict=false; only if you want less: drwn card set ${CARD} push.strict=true`,
      `drwn trust request ${CARD} --set push.allow=; only if you want less: drwn card set ${CARD} 'push.allow=**'`,
    ]);
    expect(readConsentHistory(host, CARD).events.at(-1)).toMatchObject({ what: "set", by: "project" });
    ask(host, {});
    await write(inAgent(host));
    expect(valuesIn(host)?.["push"]?.["protect"]).toEqual(["main", "release"]);
  });

  test("is shown at the consent, and loosens nothing unless the person takes it", async () => {
    const host = await installed(cardWith(OPTIONS));
    ask(host, { push: { allow: ["**"], protect: ["release"] } });
    const { stderr } = await runCommand(host, CardTrust, CARD, "--hooks", "--yes");
    expect(stderr).toContain("the project asks for **; to agree to that: --set 'push.allow=**'");
    expect(valuesIn(host)).toEqual({ push: { allow: [], protect: ["main", "release"], strict: false } });
    const taken = reviewConsent(host, { card: CARD, range: null, takesAskedOptions: true });
    await grantConsent(host, taken);
    expect(valuesIn(host)?.["push"]?.["allow"]).toEqual(["**"]);
  });

  test.each([
    ["an option that is not there", { push: { gone: true } }],
    ["a hook that is not there", { other: { allow: [] } }],
    ["a value of another type", { push: { protect: true } }],
    ["a glob that is none", { push: { protect: ["{a"] } }],
  ])("changes nothing for %s, and is told", async (_, options) => {
    const host = await installed(cardWith(OPTIONS));
    await trust(host);
    ask(host, options);
    const { findings } = await previewWrite(host, { wiring: undefined });
    expect(findings.filter(({ code }) => code === "option-asked")).toHaveLength(1);
    await write(host);
    expect(valuesIn(host)).toEqual({ push: { allow: [], protect: ["main"], strict: false } });
  });

  test("is written by `trust request`, beside what was asked for before", async () => {
    const host = await installed(cardWith(OPTIONS));
    for (const typed of ["push.protect=release", "push.strict=true"]) {
      await requestConsent(host, { card: CARD, range: undefined, options: [parseTyped(typed)] });
    }
    const text = fs.readFileSync(path.join(host.cwd, ".agents/drwn/trust.json"), "utf8");
    expect(JSON.parse(text).requests[CARD].options).toEqual({ push: { protect: ["release"], strict: true } });
  });
});
