import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { toCardFiles } from "../../../src/card/files.ts";
import { digestOfHook } from "../../../src/card/hooks/hook-index.ts";
import { formatJson } from "../../../src/kernel/format/json.ts";
import { listPublished, showCard } from "../../../src/operations/author/show-card.ts";
import { diagnoseProject } from "../../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { listCards } from "../../../src/operations/project/list.ts";
import { reviewConsent } from "../../../src/operations/project/trust.ts";
import { previewWrite } from "../../../src/operations/project/write.ts";
import { openDefaultRegistry } from "../../../src/project/fetch/fetch-card.ts";
import { packedCard } from "../../support/cards.ts";
import type { TestHost } from "../../support/host.ts";
import { machineOf, openProjectKey } from "../../support/machine-state.ts";
import { runScript } from "../../support/processes.ts";
import { CARD, GUARD, newProject, trust, write } from "../../support/projects.ts";

const POLICY = "hooks/guard/policy.ts";

/** Publishes a card whose policy leaves a file behind as soon as it is loaded. */
async function publishTelltale(host: TestHost, version: string): Promise<void> {
  const policy = [
    'import fs from "node:fs";',
    'import { defineToolPolicy } from "darwinian-minds/hook-policy";',
    `fs.writeFileSync(${JSON.stringify(traceOf(host))}, "loaded");`,
    'export default defineToolPolicy({ policyKind: "enforcement" });',
  ].join("\n");
  const capabilities = ["fs-write" as const];
  const hooks = { guard: { capabilities } };
  const untouched = await packedCard({ ...GUARD, version, hooks });
  const [first] = untouched.index.hooks;
  if (first === undefined) throw new Error("the card has no hook");
  const digest = digestOfHook(toCardFiles([[POLICY, Buffer.from(policy)]]), [POLICY]);
  const index = { ...untouched.index, hooks: [{ ...first, digest }] };
  const files = { [POLICY]: policy, "hooks/index.json": formatJson(index) };
  const card = await packedCard({ version, hooks, files });
  await openDefaultRegistry(host).publish({ ...card, index }, host.now());
}

const traceOf = (host: TestHost) => path.join(machineOf(host), "loaded");

test("nothing of a card is evaluated before consent, whatever is done with it, and consent compiles without running it", async () => {
  const host = newProject();
  await publishTelltale(host, "1.0.0");
  const steps: [string, () => unknown][] = [
    ["show", () => showCard(host, CARD)],
    ["list published", () => listPublished(host)],
    ["add", () => addCards(host, [CARD])],
    ["install", () => installCards(host, { frozen: false })],
    ["install --frozen", () => installCards(host, { frozen: true })],
    ["review", () => reviewConsent(host, { card: CARD, range: null })],
    ["list", () => listCards(host)],
    ["status", () => readStatus(host)],
    ["preview", () => previewWrite(host, { wiring: undefined })],
    ["write", () => write(host)],
    ["doctor", () => diagnoseProject(host)],
    ["trust", () => trust(host)],
    ["write with consent", () => write(host)],
    ["doctor with consent", () => diagnoseProject(host)],
    ["a version that joins", () => publishTelltale(host, "1.1.0")],
    ["add it", () => addCards(host, [CARD])],
    ["write it", () => write(host)],
  ];
  for (const [step, run] of steps) {
    await run();
    expect([step, fs.existsSync(traceOf(host))]).toEqual([step, false]);
  }
});

test("the policy of that card does leave its file when it is loaded", async () => {
  const host = newProject();
  await publishTelltale(host, "1.0.0");
  await addCards(host, [CARD]);
  const [bundle = ""] = Object.values((await trust(host)).approved[0]?.bundles ?? {});
  const file = path.join(host.drwnHome, "projects", openProjectKey(host), "bundles", `${bundle}.cjs`);
  expect(await runScript(file, [])).toBe(0);
  expect(fs.readFileSync(traceOf(host), "utf8")).toBe("loaded");
});
