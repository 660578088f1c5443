import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { guard, shellGuard } from "./policies.mjs";
import { drwn, drwnBinary, installCard, makeSignedWorld } from "./world.mjs";

const CALLS = 1_000_000;
const CASES = 1_000;
const REPLAYED = 10_000;
const LARGE_TRANSCRIPT = 500 * 1024 * 1024;
const LARGE_RESULT = 400 * 1024;
/** Bytes of a journal that is put aside. */
const SEGMENT = 10 * 1024 * 1024;
const DAY_MS = 86_400_000;
const TOOLS = ["Bash", "Read", "Edit", "Grep", "Bash", "Write", "Bash"];
const GNU_TIME = "/usr/bin/time";

/**
 * What is read of the past and asked about it: a report and statistics of a million calls, a real guard with 1,000 cases, replays.
 * @param {string} folder
 */
export function measurePast(folder) {
  const world = makeSignedWorld(path.join(folder, "past"));
  installCard(world, "guards", { shell: shellGuard, all: guard("Bash|Read|Edit|Grep|Write") });
  drwn(world, "write");
  const since = ["--since", "30d"];
  const transcripts = path.join(world.env.CLAUDE_CONFIG_DIR, "projects/-project");
  fillTranscript(path.join(transcripts, "s1.jsonl"), world.project, { calls: REPLAYED, result: "" });
  const replay = ["replay", "@bench/guards", ...since];
  const replayed = run(world, `replay of ${REPLAYED} calls`, replay, { seconds: 60 });
  fs.rmSync(transcripts, { recursive: true });
  fillTranscript(path.join(transcripts, "s2.jsonl"), world.project, {
    calls: LARGE_TRANSCRIPT / LARGE_RESULT,
    result: "x".repeat(LARGE_RESULT),
  });
  const large = run(world, "replay of a transcript of 500 MB", replay, {});
  fs.rmSync(transcripts, { recursive: true });
  const source = sourceWithCases(path.join(folder, "tested"));
  const tested = run(world, `card test with ${CASES} cases`, ["card", "test", source], { seconds: 5 });
  fillJournal(world, CALLS);
  const page = path.join(world.folder, "report.html");
  const reported = run(world, `report of ${CALLS} calls`, ["report", ...since, "--out", page], { seconds: 8 });
  const counted = run(world, `log stats of ${CALLS} calls`, ["log", "--stats"], { seconds: 6 });
  return [replayed, large, tested, { ...reported, bytes: fs.statSync(page).size }, counted];
}

/** A command as a person waits for it: once, since it is long. */
function run(world, name, words, { seconds: most = null }) {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync(GNU_TIME, ["-f", "%U %S %M", process.execPath, drwnBinary, ...words], {
    cwd: world.project,
    env: { PATH: process.env.PATH, ...world.env },
    encoding: "utf8",
  });
  const seconds = (performance.now() - begun) / 1000;
  if (status !== 0)
    throw new Error(`exit code ${status} of: drwn ${words.join(" ")}\n${stdout.slice(0, 2_000)}\n${stderr}`);
  const [user = 0, system = 0, kilobytes = 0] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return { name, seconds, most, cpu: user + system, megabytes: kilobytes / 1024 };
}

export function printPast(rows) {
  console.log("\nThe past, each once; CPU with all processes, memory of the largest one:");
  for (const { name, seconds, most, cpu, megabytes, bytes } of rows) {
    const verdict = most === null ? "" : `  ≤ ${most} s  ${seconds <= most ? "pass" : "over"}`;
    const size = bytes === undefined ? "" : `  page ${(bytes / 1024).toFixed(0)} KiB`;
    const figures = `${seconds.toFixed(2).padStart(7)} s  CPU ${cpu.toFixed(2).padStart(6)} s  ${megabytes.toFixed(0).padStart(4)} MiB`;
    console.log(`${name.padEnd(36)}${figures}${verdict}${size}`);
  }
}

/** A guard of the catalogue, its own cases over and over. */
function sourceWithCases(folder) {
  fs.cpSync(fileURLToPath(new URL("../../templates/cards/git", import.meta.url)), folder, { recursive: true });
  const manifest = path.join(folder, "card.json");
  const said = JSON.parse(fs.readFileSync(manifest, "utf8"));
  said.hooks.include = ["keep-published"];
  fs.writeFileSync(manifest, JSON.stringify(said));
  const file = path.join(folder, "hooks/keep-published/cases.jsonl");
  const own = fs.readFileSync(file, "utf8").trim().split("\n");
  const cases = Array.from({ length: CASES }, (_, at) => ({ ...JSON.parse(own[at % own.length]), id: `case-${at}` }));
  fs.writeFileSync(file, cases.map((one) => `${JSON.stringify(one)}\n`).join(""));
  return folder;
}

/** Lines as the hook process writes them, in files as large as it makes them. */
function fillJournal({ env }, calls) {
  const projects = path.join(env.DRWN_HOME, "projects");
  const [key] = fs.readdirSync(projects);
  const folder = path.join(projects, key);
  let [lines, size, number, prev] = [[], 0, 1, "0".repeat(64)];
  const begun = Date.now() - 7 * DAY_MS;
  for (let at = 0; at < calls; at++) {
    const time = new Date(begun + (at / calls) * 7 * DAY_MS).toISOString();
    const text = lineOf(at, { time, size, prev });
    prev = digest(text);
    const line = `${text},"hash":"${prev}"}\n`;
    lines.push(line);
    size += line.length;
    if (size < SEGMENT) continue;
    fs.writeFileSync(path.join(folder, `journal.${String(number++).padStart(6, "0")}-4242.jsonl`), lines.join(""));
    [lines, size] = [[], 0];
  }
  fs.writeFileSync(path.join(folder, "journal.jsonl"), lines.join(""));
}

function lineOf(at, { time, size, prev }) {
  const tool = TOOLS[at % TOOLS.length];
  const isDenied = tool === "Bash" && at % 53 === 0;
  const session = `${digest(String(Math.floor(at / 400))).slice(0, 8)}-51c3-4b77-9b2b-8a86f0b0a001`;
  const call = `toolu_01${digest(String(at)).slice(0, 22)}`;
  const entry = (hook, decision, ms) =>
    `{"policy":"@bench/guards@1.0.0#${hook}","kind":"enforcement","mode":"enforce","bundle":"sha256-${"0a1b".repeat(8)}","decision":"${decision}","ms":${ms},"applied":true}`;
  const asked = [entry("all", "none", ((at * 37) % 23) / 10)];
  if (tool === "Bash") asked.push(entry("shell", isDenied ? "deny" : "none", ((at * 31) % 17) / 10));
  const verdict = isDenied ? "deny" : "allow";
  const why = `,"rule":"deny","by":"@bench/guards@1.0.0#shell","reason":"no force","named":{"digest":"${digest(call)}","folder":"/home/me/project","session":"${session}"}`;
  return `{"time":"${time}","pid":${10_000 + (at % 30_000)},"runtime":"${at % 5 === 0 ? "codex" : "claude-code"}","phase":"pre-tool","tool":"${tool}","call":"${call}","session":"${session}","policies":[${asked.join(",")}],"verdict":"${verdict}","effective":"${verdict}"${isDenied ? why : ""},"ms":${20 + ((at * 7919) % 230) / 10},"at":${size},"prev":"${prev}"`;
}

function digest(text) {
  return createHash("sha256").update(text).digest("hex");
}

/** A session of Claude Code with so many calls, each with its result. */
function fillTranscript(file, cwd, { calls, result }) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const said = { cwd, sessionId: path.basename(file, ".jsonl"), version: "2.1.329" };
  const fd = fs.openSync(file, "w");
  for (let at = 0; at < calls; at++) {
    const timestamp = new Date(Date.now() - DAY_MS + at * 10).toISOString();
    const id = `toolu_${at}`;
    const command = at % 50 === 0 ? `git push --force origin b${at}` : `git log -${at} --oneline src/f${at}.ts`;
    const use = { type: "tool_use", id, name: "Bash", input: { command } };
    const answer = { type: "tool_result", tool_use_id: id, content: result };
    for (const [type, part] of [
      ["assistant", use],
      ["user", answer],
    ]) {
      fs.writeSync(fd, `${JSON.stringify({ ...said, timestamp, type, message: { content: [part] } })}\n`);
    }
  }
  fs.closeSync(fd);
}
