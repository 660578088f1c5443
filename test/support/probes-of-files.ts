import { AWAY, EVERY, type ProbedCapabilities } from "./probe.ts";

/** What only Node's permission model holds back: these policies have the whole of `node:fs`. */
export const FILE_PROBES: readonly ProbedCapabilities[] = [
  {
    capabilities: ["fs-read"],
    probes: [
      {
        name: "files of the project",
        attempt: `require("node:fs").readFileSync(event.cwd + "/.agents/drwn/config.json")`,
        open: EVERY,
      },
      { name: "files outside the project", attempt: `require("node:fs").readFileSync(${AWAY})` },
      { name: "files outside the project by a promise", attempt: `require("node:fs/promises").readFile(${AWAY})` },
      {
        name: "files outside the project by a stream",
        attempt: `new Promise((resolve) => require("node:fs").createReadStream(${AWAY}).on("data", resolve).on("error", () => resolve(false)))`,
      },
      {
        name: "files outside the project by a link that is in the project",
        attempt: `require("node:fs").readFileSync(event.cwd + "/link")`,
        open: EVERY,
      },
      {
        name: "a new link out of the project",
        attempt: `require("node:fs").symlinkSync("/etc/passwd", event.cwd + "/new") ?? true`,
      },
      { name: "the ledger", attempt: `require("node:fs").readdirSync(event.cwd + "/../home/ledger")` },
      { name: "another policy", attempt: `require("node:fs").readdirSync(event.cwd + "/../home/projects")` },
      { name: "`/proc/self/environ`", attempt: `require("node:fs").readFileSync("/proc/self/environ")` },
      {
        name: "files outside the project by a path of bytes",
        attempt: `require("node:fs").readFileSync(Buffer.from(${AWAY}))`,
      },
      {
        name: "files outside the project by a URL",
        attempt: `require("node:fs").readFileSync(new URL("file://" + event.cwd + "/x/%2e%2e/%2e%2e/outside"))`,
      },
      {
        name: "files outside the project by replaced functions of `node:path`",
        attempt: `(() => { const path = require("node:path"); for (const key of ["resolve", "toNamespacedPath", "normalize"]) try { path[key] = () => ${AWAY}; } catch {} return require("node:fs").readFileSync(event.cwd + "/.agents/drwn/config.json", "utf8").includes("secret"); })()`,
      },
      {
        name: "a copy of a file outside the project",
        attempt: `require("node:fs").cpSync(${AWAY}, event.cwd + "/copy") ?? true`,
      },
      {
        name: "a Blob of a file outside the project",
        attempt: `require("node:fs").openAsBlob(${AWAY}).then((blob) => blob.text())`,
      },
      { name: "the size of files outside the project", attempt: `require("node:fs").statSync(${AWAY}).size` },
      { name: "the names of files outside the project", attempt: `require("node:fs").readdirSync(event.cwd + "/..")` },
      {
        name: "whether a file outside the project is there, by `existsSync`",
        attempt: `require("node:fs").existsSync(${AWAY})`,
      },
      {
        name: "whether a file outside the project is there, by `realpathSync`",
        attempt: `(() => { const look = (file) => { try { require("node:fs").realpathSync(file); return ""; } catch ({ code }) { return code; } }; return look(${AWAY}) !== look(event.cwd + "/../nothing"); })()`,
        open: EVERY,
      },
      {
        name: "where a link outside the project leads, by `readlinkSync`",
        attempt: `require("node:fs").readlinkSync(event.cwd + "/../pointer")`,
      },
      {
        name: "where a link outside the project leads, by `realpathSync`",
        attempt: `require("node:fs").realpathSync(event.cwd + "/../pointer").endsWith("/outside")`,
      },
      {
        name: "news of files outside the project by `fs.watch`",
        attempt: `require("node:fs").watch(event.cwd + "/..").close() ?? true`,
      },
      {
        name: "the rights of a file, by one that is open",
        attempt: `(() => { const fs = require("node:fs"); const fd = fs.openSync(event.cwd + "/.agents/drwn/config.json"); try { fs.fchmodSync(fd, 0o644); return true; } finally { fs.closeSync(fd); } })()`,
      },
      {
        name: "the times of a file, by one that is open",
        attempt: `(() => { const fs = require("node:fs"); const fd = fs.openSync(event.cwd + "/.agents/drwn/config.json"); try { fs.futimesSync(fd, 1, 1); return true; } finally { fs.closeSync(fd); } })()`,
      },
      {
        name: "the memory of its process, by `/proc/self/mem`",
        attempt: `require("node:fs").openSync("/proc/self/mem")`,
      },
      {
        name: "what the engine's process holds open, by `/proc`",
        attempt: `require("node:fs").readdirSync("/proc/self/fd")`,
      },
      { name: "a file for writing", attempt: `require("node:fs").writeFileSync(event.cwd + "/new", "") ?? true` },
      {
        name: "what the agent has left open",
        attempt: `Array.from({ length: 40 }, (_, fd) => fd + 4).some((fd) => { try { return require("node:fs").fstatSync(fd).isFile(); } catch { return false; } })`,
      },
      { name: "programs", attempt: `require("node:child_process").execSync("true")` },
      { name: "connections", attempt: `require("node:net").connect(1)` },
      { name: "the environment", attempt: `process.env.SECRET` },
      { name: "code from text", attempt: `require("node:fs").constructor.constructor("return process")()` },
    ],
  },
  {
    capabilities: ["fs-write"],
    probes: [
      {
        name: "a new file in the project",
        attempt: `require("node:fs").writeFileSync(event.cwd + "/made", "") ?? true`,
        open: EVERY,
      },
      {
        name: "a new file outside the project",
        attempt: `require("node:fs").writeFileSync(event.cwd + "/../made", "") ?? true`,
      },
      {
        name: "a new file in drwn's home",
        attempt: `require("node:fs").writeFileSync(event.cwd + "/../home/made", "") ?? true`,
      },
      {
        name: "the content of a file of the project",
        attempt: `require("node:fs").readFileSync(event.cwd + "/.agents/drwn/config.json")`,
      },
    ],
  },
];
