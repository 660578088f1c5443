import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { listFolder } from "../../kernel/atomic.ts";
import { readIfThere } from "../../kernel/read-file.ts";
import type { AgentContext } from "../../wiring/target.ts";
import { codexHome, codexHooksFile } from "./paths.ts";

const MOST_BYTES = 1024 * 1024;
/** Nothing listens here, so that nothing leaves the machine. */
const NOWHERE = "http://127.0.0.1:9";

interface CopiedHome {
  env: Record<string, string>;
  /** The same text with the person's own folder in place of the copy. */
  uncopied: (text: string) => string;
}

/**
 * An app server makes databases, logs and skills in its home, and fetches plugins. So it is asked in a throw-away home
 * with a copy of what decides about hooks: the configurations, `hooks.json`, and which of its entries the person trusts.
 */
export async function withCopiedHome<T>(host: AgentContext["host"], use: (home: CopiedHome) => Promise<T>): Promise<T> {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-ask-")));
  try {
    const [copy, empty] = [path.join(folder, "codex"), path.join(folder, "home")];
    for (const one of [copy, empty]) fs.mkdirSync(one);
    const hooks = path.join(copy, "hooks.json");
    for (const name of listFolder(codexHome(host))) {
      if (!name.endsWith(".toml") && name !== "hooks.json") continue;
      const text = readIfThere(path.join(codexHome(host), name), MOST_BYTES)?.toString("utf8");
      if (text === undefined) continue;
      // Codex remembers what a person trusts by the path of this file.
      const copied = namesOf(codexHooksFile(host)).reduce((all, own) => all.replaceAll(`${own}:`, `${hooks}:`), text);
      fs.writeFileSync(path.join(copy, name), copied, { mode: 0o600 });
    }
    const env = { HOME: empty, CODEX_HOME: copy, HTTPS_PROXY: NOWHERE, HTTP_PROXY: NOWHERE, ALL_PROXY: NOWHERE };
    const PATH = host.env["PATH"];
    return await use({
      env: PATH === undefined ? env : { ...env, PATH },
      uncopied: (text) => text.replaceAll(copy, codexHome(host)),
    });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The path as it is and as links lead to it, each also as a TOML string has it. */
function namesOf(file: string): string[] {
  const paths = [file, fs.existsSync(file) ? fs.realpathSync(file) : file];
  return [...new Set(paths.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]))];
}
