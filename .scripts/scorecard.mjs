// npm run scorecard [-- --commands FILE] [--json]: computes every figure of the catalogue. Cases and mutants go through
// the real engine. FILE has rows {"tool","input","cwd","expect"?,"runtime"?}: this asks every guard about each of them.
// Without `--commands` it writes the pages.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadModule } from "./load-module.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = path.join(root, "templates/cards");
const { values } = parseArgs({
  options: { commands: { type: "string" }, json: { type: "boolean" }, "without-mutants": { type: "boolean" } },
});
const cards = fs.readdirSync(folder).filter((name) => fs.existsSync(path.join(folder, name, "card.json")));

const figures = values.commands === undefined ? cards.map(testCard) : await judgeCommands(values.commands);
if (values.json) console.log(JSON.stringify(figures, null, 2));
else if (values.commands !== undefined) console.log(printCommands(figures));
else writePages(figures);

/** Cases and mutants of one card, as `drwn card test` counts them. */
function testCard(name) {
  const flags = values["without-mutants"] ? ["--json"] : ["--mutate", "--json"];
  const run = spawnSync(
    process.execPath,
    [path.join(root, "bin/drwn.js"), "card", "test", path.join(folder, name), ...flags],
    {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    },
  );
  const { card, version, hooks } = JSON.parse(run.stdout);
  return {
    card,
    version,
    hooks: hooks.map(({ name: hook, cases, passed, refused, allowed, mutants }) => {
      const held = mutants === null || mutants === undefined ? null : { tried: mutants.tried, held: mutants.held };
      return { hook, cases, passed, refused, allowed, mutants: held };
    }),
  };
}

/** What the whole catalogue decides about the rows of a file. */
async function judgeCommands(file) {
  const guards = await Promise.all(cards.flatMap((card) => hooksOf(card).map((hook) => loadGuard(card, hook))));
  const rows = fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
  const counts = {
    rows: rows.length,
    denied: 0,
    asked: 0,
    expected: { refused: 0, allowed: 0 },
    missed: [],
    falseAlarms: [],
    falseAsks: [],
  };
  const byHook = new Map(guards.map(({ name }) => [name, { denied: 0, asked: 0 }]));
  const adapters = await loadAdapters();
  for (const row of rows) {
    const parts = partsOf(adapters, row);
    const decisions = guards.map((guard) => ({ ...guard, decision: worst(parts.map((part) => decide(guard, part))) }));
    for (const { name, decision } of decisions) {
      if (decision === "deny") byHook.get(name).denied++;
      if (decision === "ask") byHook.get(name).asked++;
    }
    const found = decisions.filter(({ decision }) => decision !== "allow");
    const isDenied = found.some(({ decision }) => decision === "deny");
    if (isDenied) counts.denied++;
    else if (found.length > 0) counts.asked++;
    const shown = { ...row, by: found.map(({ name, decision }) => `${decision} ${name}`) };
    if (row.expect === "allow") counts.expected.allowed++;
    else if (row.expect !== undefined) counts.expected.refused++;
    if (row.expect === "allow" ? isDenied : row.expect === undefined && isDenied) counts.falseAlarms.push(shown);
    if (row.expect === "allow" && found.length > 0 && !isDenied) counts.falseAsks.push(shown);
    if (row.expect !== undefined && row.expect !== "allow" && found.length === 0) counts.missed.push(shown);
  }
  return { ...counts, byHook: Object.fromEntries(byHook) };
}

function hooksOf(card) {
  return JSON.parse(fs.readFileSync(path.join(folder, card, "card.json"), "utf8")).hooks.include;
}

/** What each agent's hooks say of a call is read as drwn's launcher reads it. */
function loadAdapters() {
  return loadModule({ entryPoints: [path.join(root, "src/agents/adapters.ts")] });
}

/** A call, under each of its names, and what it does besides. */
function partsOf(adapters, { runtime = "claude-code", tool, input, cwd, home }) {
  const { decode } = adapters.findAdapter(runtime);
  const { otherNames, views, ...main } = decode({ tool_name: tool, tool_input: input }, "pre-tool");
  const calls = [main, ...otherNames.map((name) => ({ toolName: name, input: main.input })), ...views];
  return calls.map((call) => ({ runtime, cwd, home, ...call }));
}

function worst(decisions) {
  return ["deny", "ask"].find((one) => decisions.includes(one)) ?? "allow";
}

async function loadGuard(card, hook) {
  const sdk = {
    name: "sdk",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^darwinian-minds/ }, ({ path: module }) => ({
        path: path.join(root, module.endsWith("helpers") ? "src/helpers/index.ts" : "src/policy/index.ts"),
      })),
  };
  const policy = path.join(folder, card, "hooks", hook, "policy.ts");
  const module = await loadModule({ entryPoints: [policy], plugins: [sdk] });
  const { hooks } = JSON.parse(fs.readFileSync(path.join(folder, card, "card.json"), "utf8"));
  const declared = hooks.options?.[hook];
  const options =
    declared === undefined
      ? undefined
      : Object.fromEntries(Object.entries(declared).map(([option, { default: value }]) => [option, value]));
  return { name: `@drwn/${card}#${hook}`, policy: module.default, options };
}

function wants(matcher = "*", tool) {
  const isBut = matcher.startsWith("!");
  const globs = matcher.slice(isBut ? 1 : 0).split("|");
  return globs.some((glob) => new RegExp(`^${glob.replaceAll("*", ".*")}$`).test(tool)) !== isBut;
}

function decide({ policy: { matcher, beforeToolCall }, options }, call) {
  const { runtime, toolName, aliases = [], input, shell, cwd, home } = call;
  if (![toolName, ...aliases].some((name) => wants(matcher, name))) return "allow";
  const event = {
    runtime,
    phase: "pre-tool",
    toolName,
    input,
    ...(shell === undefined ? {} : { shell }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(home === undefined ? {} : { home }),
    ...(options === undefined ? {} : { options }),
  };
  try {
    return beforeToolCall(event)?.action ?? "allow";
  } catch {
    // A failing enforcement policy blocks the call.
    return "deny";
  }
}

function printCommands({ rows, denied, asked, expected, missed, falseAlarms, falseAsks, byHook }) {
  const share = (count, of) => (of === 0 ? "none" : `${count} of ${of} (${((100 * count) / of).toFixed(2)} %)`);
  return [
    `| of the calls | |`,
    `| --- | --- |`,
    `| denied | ${share(denied, rows)} |`,
    `| asked about | ${share(asked, rows)} |`,
    `| refused, of those that should be | ${share(expected.refused - missed.length, expected.refused)} |`,
    `| denied, of those that should pass | ${share(falseAlarms.filter((row) => row.expect === "allow").length, expected.allowed)} |`,
    `| asked about, of those that should pass | ${share(falseAsks.length, expected.allowed)} |`,
    "",
    "| hook | denied | asked |",
    "| --- | --- | --- |",
    ...Object.entries(byHook).map(([name, count]) => `| ${name} | ${count.denied} | ${count.asked} |`),
    "",
    ...[
      ...missed.map((row) => ["missed", row]),
      ...falseAlarms.map((row) => ["denied", row]),
      ...falseAsks.map((row) => ["asked", row]),
    ].map(([what, { input, by }]) => `- ${what}: \`${JSON.stringify(input).slice(0, 160)}\` ${by.join(", ")}`),
  ].join("\n");
}

/** Writes the table between the marks on each card's page. */
function writePages(tested) {
  const row = ({ hook, cases, refused, allowed, mutants }) =>
    `| \`${hook}\` | ${cases} | ${refused} | ${allowed} | ${mutants === null ? "" : `${mutants.held} of ${mutants.tried}`} |`;
  const head = ["| hook | cases | refused | let through | mutants held |", "| --- | --- | --- | --- | --- |"];
  for (const { card, hooks } of tested) {
    fill(path.join(folder, card.split("/")[1], "README.md"), [...head, ...hooks.map(row)]);
  }
  fs.writeFileSync(path.join(folder, "figures.json"), `${JSON.stringify(tested, null, 2)}\n`);
}

function fill(file, lines) {
  const text = fs.readFileSync(file, "utf8");
  const block = `<!-- figures: begin -->\n${lines.join("\n")}\n<!-- figures: end -->`;
  fs.writeFileSync(file, text.replace(/<!-- figures: begin -->[\s\S]*?<!-- figures: end -->/, block));
}
