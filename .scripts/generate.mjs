// Writes the pages that are made from the code: docs/reference/commands.md, docs/reference/errors.md, the JSON Schemas of card.json and of a case, and the README's picture.
// With --check it only says whether they are current, for the gate.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { loadModule } from "./load-module.mjs";
import { drawDenial } from "./picture.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { caseJsonSchema } = await load("src/card/hooks/cases.ts");
const { manifestJsonSchema } = await load("src/card/manifest.ts");
const { PROBLEM_CODES } = await load("src/kernel/problem.ts");
const manifest = JSON.parse(fs.readFileSync(path.join(root, "oclif.manifest.json"), "utf8"));
const commands = Object.values(manifest.commands).sort((left, right) => (left.id < right.id ? -1 : 1));

/** `card:source:add-hook` as a person types it. */
const typed = (id) => `drwn ${id.replaceAll(":", " ")}`;

/** In every command, so the page says them once. */
const EVERYWHERE = ["json", "verbose"];
const WIDTH = 120;

/** The command with its arguments and flags, in lines of at most WIDTH characters. */
function usage({ id, args, flags }) {
  const words = [
    ...Object.values(args).map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)),
    ...Object.values(flags)
      .filter(({ name }) => !EVERYWHERE.includes(name))
      .map(flagUsage),
  ];
  const lines = [typed(id)];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`  ${word}`);
  }
  return lines.join("\n");
}

function flagUsage({ name, char, type, helpValue, options, required }) {
  const value = type === "option" ? ` ${helpValue ?? (options ? options.join("|") : "VALUE")}` : "";
  const text = `${char ? `-${char}, ` : ""}--${name}${value}`;
  return required ? text : `[${text}]`;
}

function section(command) {
  const { id, description, aliases } = command;
  const [summary] = description.split("\n\n");
  const also = aliases.length > 0 ? `Also: ${aliases.map((alias) => `\`${typed(alias)}\``).join(", ")}.` : "";
  return [
    `## ${typed(id)}`,
    "",
    [summary, also].filter((text) => text !== "").join(" "),
    "",
    "```",
    usage(command),
    "```",
    "",
  ].join("\n");
}

const pages = new Map();
const visible = commands.filter(({ hidden }) => !hidden);
const hidden = commands.filter((command) => command.hidden);
pages.set(
  "docs/reference/commands.md",
  [
    "# Commands",
    "",
    "`drwn help COMMAND` says what each flag does, and has examples. Every command has `--json`, which answers with exactly one document on stdout, for failures too.",
    "",
    "With `--verbose`, or `DRWN_DEBUG=1` in the environment, a command says on stderr what it reads, decides, starts, asks and writes, and when. It says where files, answers and events are and how large, never what is in them, and leaves out tokens.",
    "`drwn explain --verbose` and `drwn hook run --event NAME --verbose` also say what the hook process verified, which policies it asked, for how long, what each decided and what was answered. An agent's hook entry takes neither the flag nor the variable.",
    "",
    "Exit codes: 0 done · 1 a problem you can act on · 2 usage · 3 doctor found an error (warnings alone end with 0), or `--check` or `--strict` found something · 70 a bug of drwn.",
    "",
    ...visible.map(section),
    "# Not listed in the help",
    "",
    "You rarely need these, and drwn names them where you do. Some are for programs.",
    "",
    ...hidden.map(section),
  ].join("\n"),
);
pages.set(
  "docs/reference/errors.md",
  [
    "# Errors",
    "",
    "A failure that you can act on is printed as `error: message [CODE]`, with a hint that can be pasted. The codes are stable.",
    "Anything else is a bug of drwn: it prints its stack and exits with 70.",
    "",
    ...Object.entries(PROBLEM_CODES).map(([code, meaning]) => `- \`${code}\`: ${meaning}`),
    "",
  ].join("\n"),
);
pages.set("docs/denial.svg", drawDenial());
pages.set("docs/reference/card.schema.json", `${manifestJsonSchema().trimEnd()}\n`);
pages.set("docs/reference/cases.schema.json", `${caseJsonSchema().trimEnd()}\n`);

const isCheck = process.argv.includes("--check");
const stale = [...pages].filter(([page, text]) => {
  const file = path.join(root, page);
  return !fs.existsSync(file) || fs.readFileSync(file, "utf8") !== text;
});
if (isCheck) {
  for (const [name] of stale) console.error(`not current: ${name}`);
  if (stale.length > 0) {
    console.error("hint: npm run generate");
    process.exit(1);
  }
} else {
  for (const [page, text] of stale) {
    fs.mkdirSync(path.dirname(path.join(root, page)), { recursive: true });
    fs.writeFileSync(path.join(root, page), text);
  }
}

function load(file) {
  return loadModule({ entryPoints: [path.join(root, file)] });
}
