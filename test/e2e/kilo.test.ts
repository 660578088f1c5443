import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, inject, test } from "vitest";
import { armGuard } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { missing } from "./other-clients.ts";
import { denyFile, denyTouch, REASON } from "./policies.ts";
import { commandsOf, runOther } from "./run-others.ts";
import type { Step } from "./wire-format.ts";

inNewWorlds();

/** What Kilo has beside OpenCode, of which it is a fork. */
describe.skipIf(inject("others").kilo === undefined)(`Kilo (${missing("kilo")} otherwise)`, () => {
  const start = { action: "start", command: "touch ran.txt", description: "a step of the script" };

  test.each<[string, Record<string, string>, Step[]]>([
    ["what background_process starts", {}, [{ tool: "background_process", input: start }, { text: "done" }]],
    [
      "a call where the repository's .env has KILO_PURE",
      { ".env": "KILO_PURE=1\n" },
      commandsOf("kilo", start.command),
    ],
  ])("%s is judged", async (_, files, steps) => {
    await armGuard(world, denyTouch, "kilo");
    for (const [file, text] of Object.entries(files)) world.write(file, text);
    const { results } = await runOther("kilo", world, { steps });
    expect([world.has("ran.txt"), results[0]?.text]).toEqual([false, expect.stringContaining(REASON)]);
  });

  test("a file that would go to its company for the person's other devices is a Read", async () => {
    await armGuard(world, denyFile(".env", ["Read"]), "kilo");
    world.write(".env", "TOKEN=the-secret\n");
    world.write("notes.txt", "notes\n");
    const company = await startCompany();
    try {
      const send = (file: string) => ({ tool: "send_file", input: { path: file } });
      // Kilo offers the tool once it is connected.
      const wait = { tool: "bash", input: { command: "sleep 2", description: "wait" } };
      const { results, all } = await runOther("kilo", world, {
        steps: [wait, send(".env"), send("notes.txt"), { text: "done" }],
        env: {
          KILO_REMOTE: "1",
          KILO_API_KEY: "mock",
          KILO_API_URL: company.url,
          KILO_SESSION_INGEST_URL: company.url,
          KILO_DISABLE_SESSION_INGEST: "0",
          KILO_DISABLE_SHARE: "1",
        },
      });
      expect(results.slice(1).map(({ text }) => text)).toEqual([
        expect.stringContaining(REASON),
        expect.stringContaining("delivered"),
      ]);
      expect(JSON.stringify(all)).not.toContain("the-secret");
    } finally {
      company.close();
    }
  });
});

/** Stands for Kilo's company: it knows everybody, keeps every connection open, and sends nothing. */
async function startCompany(): Promise<{ url: string; close(): void }> {
  const server = http.createServer((_, response) => response.end("{}"));
  server.on("upgrade", ({ headers }, socket) => {
    const key = createHash("sha1").update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    const accept = `Sec-WebSocket-Accept: ${key.digest("base64")}`;
    socket.on("error", () => {});
    socket.write(
      ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", accept, "", ""].join("\r\n"),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
