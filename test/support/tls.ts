import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import path from "node:path";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { temporaryFolder } from "./cards.ts";
import { type Handler, listen, type Server } from "./servers.ts";

/** An authority that vouches for servers in one test, and for nothing else. */
export interface Authority {
  /** The certificate that a client has to trust. */
  file: string;
  pem: string;
  server: { key: string; cert: string };
}

export function makeAuthority(): Authority {
  const folder = temporaryFolder();
  const at = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-batch"];
  openssl("req", "-x509", ...made, "-days", "2", "-subj", "/CN=test", "-keyout", "ca.key", "-out", "ca.pem");
  openssl("req", ...made, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr");
  fs.writeFileSync(at("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  const issued = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
  openssl("x509", "-req", "-in", "server.csr", ...issued, "-out", "server.pem");
  const read = (name: string) => fs.readFileSync(at(name), "utf8");
  return { file: at("ca.pem"), pem: read("ca.pem"), server: { key: read("server.key"), cert: read("server.pem") } };
}

/** Like `serve`, behind TLS; its URL has the host `localhost`. */
export function serveTls(authority: Authority, handler: Handler): Promise<Server> {
  const server = https.createServer(authority.server);
  // A client that doesn't trust the certificate ends the connection.
  server.on("tlsClientError", () => {});
  return listen(server, "https://localhost", handler);
}

/**
 * git's own server program, behind whatever web server passes requests to it: repositories are the folders below
 * `root`.
 */
export function gitBackend(root: string): Handler {
  return (request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "https://localhost");
    const child = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env["PATH"],
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: "1",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: "*",
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
        REQUEST_METHOD: request.method ?? "GET",
        PATH_INFO: decodeURIComponent(pathname),
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    request.pipe(child.stdin);
    void answer(child.stdout, response);
  };
}

/** What a CGI program prints: headers, an empty line, and the body. */
async function answer(output: Readable, response: ServerResponse<IncomingMessage>): Promise<void> {
  const printed = await buffer(output);
  const end = printed.indexOf("\r\n\r\n");
  const lines = printed.toString("latin1", 0, Math.max(end, 0)).split("\r\n");
  for (const line of lines) {
    const [name = "", value = ""] = line.split(/:\s*/u);
    if (name === "Status") response.statusCode = Number.parseInt(value, 10);
    else if (name !== "") response.setHeader(name, value);
  }
  response.end(printed.subarray(end + 4));
}
