import fs from "node:fs";
import path from "node:path";
import { measure, summarize } from "./measure.mjs";
import { shellGuard } from "./policies.mjs";
import { BASE } from "./rows.mjs";
import { drwn, drwnBinary, installCard, makeSignedWorld, removeFolder } from "./world.mjs";

/** What a command may take that neither compiles nor asks the network. */
const MOST = 8;

const CARD = "@bench/own";
const KEY = `ed25519:${"A".repeat(43)}`;
const CALL = ["--tool", "Bash", "--input", '{"command":"ls"}'];

/** Each visible command, as it is typed where a guard is in force; `folder`: where, instead of in the project. */
const TYPED = {
  add: [CARD],
  doctor: [],
  init: { folder: "empty", words: [] },
  install: [],
  list: [],
  log: [],
  remove: [CARD],
  report: ["--out", "report.html"],
  search: ["git"],
  status: [],
  trust: [],
  uninstall: [],
  update: [],
  why: [CARD],
  write: [],
  "card:deprecate": [`${CARD}@1.0.0`, "old"],
  "card:diff": [`${CARD}@1.0.0`, `${CARD}@1.0.0`],
  "card:new": ["@bench/new"],
  "card:show": [`${CARD}@1.0.0`],
  "card:untrust": [CARD],
  "card:verify": [`${CARD}@1.0.0`],
  "card:yank": [`${CARD}@1.0.0`],
  "hook:explain": CALL,
  "key:list": [],
  "key:new": ["@other"],
  "key:trust": [KEY, "@other"],
  "registry:add": ["team", "./team"],
  "registry:list": [],
  "trust:accept": [],
  "trust:settings": [],
  "card:source:add-hook": [CARD, "another"],
  "card:source:add": ["skill", CARD, "another"],
  "card:source:remove-hook": [CARD, "guard"],
  "card:source:remove": ["hook", CARD, "guard"],
  "card:source:set": [CARD, "--description", "another"],
  "card:source:show": [CARD],
};
/** These leave everything as it was. */
const LOOKING = [
  "doctor",
  "install",
  "list",
  "log",
  "search",
  "status",
  "trust",
  "why",
  "write",
  "card:diff",
  "card:show",
  "card:verify",
  "hook:explain",
  "key:list",
  "registry:list",
  "trust:accept",
  "card:source:show",
];
const LEFT_OUT = {
  "it compiles": [
    "card:dev",
    "card:pack",
    "card:publish",
    "card:source:doctor",
    "card:source:import",
    "card:test",
    "card:trust",
  ],
  "it asks at a terminal": ["allow", "pause"],
};

/**
 * How often `node -e 0` each visible command takes.
 * @param {string} folder
 * @param {number} rounds
 */
export async function measureCommands(folder, rounds) {
  const manifest = JSON.parse(fs.readFileSync(new URL("../../oclif.manifest.json", import.meta.url), "utf8"));
  const visible = Object.values(manifest.commands).flatMap(({ id, hidden }) => (hidden ? [] : [id]));
  const known = [...Object.keys(TYPED), ...Object.values(LEFT_OUT).flat()];
  const unknown = visible.filter((id) => !known.includes(id));
  if (unknown.length > 0) throw new Error(`not measured, and nothing says why: ${unknown.join(", ")}`);
  const [looking, changing] = ["looking", "changing"].map((name) => makeGuardedWorld(path.join(folder, name)));
  const kept = path.join(folder, "kept");
  fs.cpSync(changing.folder, kept, { recursive: true });
  const prepare = () => restore(changing.folder, kept);
  const rows = visible.flatMap((id) => {
    if (!(id in TYPED)) return [];
    return LOOKING.includes(id) ? [rowOf(looking, id)] : [{ ...rowOf(changing, id), prepare }];
  });
  const base = { name: BASE, program: process.execPath, args: ["-e", "0"], cwd: looking.folder, env: {} };
  const samples = await measure([base, ...rows], rounds);
  const unit = summarize(samples.get(BASE)).median;
  return rows
    .map(({ name }) => ({ name, ratio: summarize(samples.get(name)).median / unit }))
    .sort((left, right) => right.ratio - left.ratio);
}

function makeGuardedWorld(folder) {
  const world = makeSignedWorld(folder);
  installCard(world, "own", { guard: shellGuard });
  drwn(world, "card", "source", "use", path.join(folder, "sources/own"));
  drwn(world, "write");
  for (const name of ["empty", "team"]) fs.mkdirSync(path.join(folder, name));
  return world;
}

/** The folders themselves stay: a project is known by its number, too. */
function restore(folder, kept) {
  for (const name of fs.readdirSync(folder)) {
    const place = path.join(folder, name);
    for (const entry of fs.readdirSync(place)) removeFolder(path.join(place, entry));
    fs.cpSync(path.join(kept, name), place, { recursive: true });
  }
}

function rowOf(world, id) {
  const { folder = "project", words } = Array.isArray(TYPED[id]) ? { words: TYPED[id] } : TYPED[id];
  return {
    name: `drwn ${id.replaceAll(":", " ")}`,
    program: process.execPath,
    args: [drwnBinary, ...id.split(":"), ...words],
    cwd: path.join(world.folder, folder),
    env: world.env,
    fault: ({ status, stderr }) => (status === 0 ? undefined : `exit code ${status}: ${stderr.slice(0, 500)}`),
  };
}

/** To see whether what V8 kept of the hook's programs is what V8 makes of them. */
const COMPILING = "drwn doctor";

export function printCommands(measured) {
  console.log(`How often \`node -e 0\` a visible command takes (at most ${MOST}):`);
  for (const { name, ratio } of measured) {
    const isCompiling = name === COMPILING;
    const isAbove = ratio > MOST && !isCompiling;
    const why = isCompiling ? ", which has V8 compile the hook's programs" : "";
    console.log(`${isAbove ? "ABOVE " : "      "}${ratio.toFixed(1).padStart(5)}  ${name}${why}`);
  }
  for (const [why, ids] of Object.entries(LEFT_OUT))
    console.log(`not measured, since ${why}: ${ids.join(", ").replaceAll(":", " ")}`);
}
