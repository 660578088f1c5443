import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const PROGRAM = new URL("../../node_modules/verdaccio/bin/verdaccio", import.meta.url).pathname;

/** A real npm registry, only on this machine, with its storage in a temporary folder. */
export interface Verdaccio {
  url: string;
  /** Makes a user and returns a token for .npmrc. */
  token(user: string): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes what it stored. */
  remove(): Promise<void>;
}

export async function startVerdaccio(): Promise<Verdaccio> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "drwn-verdaccio-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  fs.writeFileSync(path.join(folder, "config.yaml"), CONFIG);
  let running: ChildProcess | undefined;
  const start = async () => {
    running = spawn(process.execPath, [PROGRAM, "-c", path.join(folder, "config.yaml"), "-l", `127.0.0.1:${port}`], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await listening(running);
  };
  const stop = async () => {
    if (running === undefined || running.exitCode !== null) return;
    running.kill("SIGTERM");
    await once(running, "exit");
  };
  await start();
  return {
    url,
    token: (user) => makeUser(url, user),
    start,
    stop,
    remove: async () => {
      await stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

const CONFIG = `
storage: ./storage
auth: { htpasswd: { file: ./htpasswd, max_users: 100, algorithm: bcrypt, rounds: 4 } }
uplinks: {}
packages:
  "@closed/*": { access: $authenticated, publish: $authenticated }
  "@*/*": { access: $all, publish: $authenticated, unpublish: $authenticated }
max_body_size: 60mb
middlewares: { audit: { enabled: false } }
server: { keepAliveTimeout: 5 }
web: { enable: false }
log: { type: stdout, format: json, level: warn }
`;

async function listening(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error("the registry has no output");
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line.includes("http address")) {
      child.stdout.resume();
      return;
    }
  }
  throw new Error(`the registry did not start:\n${said.join("\n")}`);
}

async function makeUser(url: string, user: string): Promise<string> {
  const answer = await fetch(`${url}-/user/org.couchdb.user:${user}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: user, password: `${user}-secret-word` }),
  });
  const { token } = (await answer.json()) as { token?: string };
  if (token === undefined) throw new Error(`no token for ${user}: ${answer.status}`);
  return token;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("there is no free port");
  return address.port;
}
