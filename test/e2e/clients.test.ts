import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Client, clientsFolder, ensureClient } from "./clients.ts";

let folder: string;
let fetches: number;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "drwn-clients-"));
  fetches = 0;
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const client: Client = {
  name: "agent",
  version: "1.0.0",
  fetch: async (into) => {
    fetches += 1;
    await fs.promises.writeFile(path.join(into, "program"), `fetch ${fetches}`);
  },
  locate: (from) => {
    const file = path.join(from, "program");
    if (!fs.existsSync(file)) throw new Error("no program");
    return file;
  },
};

test("a client is fetched once and found again", async () => {
  const first = await ensureClient(folder, client);
  expect(await ensureClient(folder, client)).toBe(first);
  expect(fs.readFileSync(first, "utf8")).toBe("fetch 1");
});

test("two runs at once fetch once", async () => {
  const [one, other] = await Promise.all([ensureClient(folder, client), ensureClient(folder, client)]);
  expect(one).toBe(other);
  expect(fetches).toBe(1);
});

test("an interrupted install is done again", async () => {
  const dying = { ...client, fetch: () => Promise.reject(new Error("killed")) };
  await expect(ensureClient(folder, dying)).rejects.toThrow("killed");
  const program = await ensureClient(folder, client);
  expect(fs.readFileSync(program, "utf8")).toBe("fetch 1");
});

test.each([
  ["its marker", "complete.json"],
  ["its program", "program"],
])("a copy without %s is installed again", async (_, missing) => {
  const program = await ensureClient(folder, client);
  fs.rmSync(path.join(path.dirname(program), missing));
  await ensureClient(folder, client);
  expect(fs.readFileSync(program, "utf8")).toBe("fetch 2");
});

test("a fetch that brings no program is an error and leaves nothing that counts as complete", async () => {
  await expect(ensureClient(folder, { ...client, fetch: () => {} })).rejects.toThrow("no program");
  await ensureClient(folder, client);
  expect(fetches).toBe(1);
});

test.each([
  [{ DRWN_E2E_CLIENTS: "/a", XDG_CACHE_HOME: "/b" }, "/a"],
  [{ XDG_CACHE_HOME: "/b" }, "/b/drwn-e2e"],
  [{ DRWN_E2E_CLIENTS: "", XDG_CACHE_HOME: "" }, path.join(os.homedir(), ".cache/drwn-e2e")],
])("with %j the clients lie in %s", (env, expected) => {
  expect(clientsFolder(env)).toBe(expected);
});
