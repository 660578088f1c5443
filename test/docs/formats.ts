import fs from "node:fs";
import path from "node:path";
import { HANDLER_FILE, parseHandler } from "../../src/card/compiler/handler-module.ts";
import { INDEX_FILE, indexSchema } from "../../src/card/hooks/hook-index.ts";
import { parseManifest } from "../../src/card/manifest.ts";
import { layout } from "../../src/contract/layout.ts";
import { PLAN_VERSION } from "../../src/contract/plan.ts";
import { isPlannedPolicy } from "../../src/hook/verify/plan-shape.ts";
import { parseFormat } from "../../src/kernel/format/read.ts";
import { readConfig } from "../../src/project/config.ts";
import { projectFiles } from "../../src/project/identity.ts";
import { readLock } from "../../src/project/lock.ts";
import { readTrustRequest } from "../../src/project/trust-request.ts";
import { readRegistrySettings } from "../../src/registry/settings.ts";
import { readLedger } from "../../src/trust/ledger-file.ts";
import { temporaryFolder } from "../support/cards.ts";

const KEY = "0".repeat(64);

/** How drwn itself reads each of its JSON files. Each throws, or answers undefined, when it would refuse the text. */
export const FORMATS: Readonly<Record<string, (text: string) => unknown>> = {
  card: (text) => parseManifest(text, { file: "card.json" }),
  handler: (text) => parseHandler(Buffer.from(text), { file: HANDLER_FILE }),
  config: (text) => readConfig(placed(text, (root) => projectFiles.config(root))),
  lock: (text) => readLock(placed(text, (root) => projectFiles.lock(root))),
  trust: (text) => readTrustRequest(placed(text, (root) => projectFiles.trustRequest(root))),
  index: (text) => parseFormat(text, indexSchema, { file: INDEX_FILE }),
  "settings-of-user": (text) => readRegistrySettings(placed(text, (root) => layout.settings(root))),
  ledger: (text) =>
    readLedger(
      placed(text, (root) => layout.ledger(root, KEY)),
      KEY,
    ),
  plan: (text) => {
    const plan = JSON.parse(text);
    return plan.version === PLAN_VERSION && plan.policies.every(isPlannedPolicy) ? plan : undefined;
  },
};

/** A new folder with the text at its place in it. */
function placed(text: string, placeIn: (root: string) => string): string {
  const root = temporaryFolder();
  const file = placeIn(root);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, text, { mode: 0o600 });
  return root;
}
