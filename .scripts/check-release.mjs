// node check-release.mjs <tag>: checks that this checkout is the release that the tag names.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [tag = ""] = process.argv.slice(2);
const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
const headings = fs.readFileSync(path.join(root, "CHANGELOG.md"), "utf8").split("\n");

const faults = [
  ...(tag === `v${version}` ? [] : [`the tag is ${tag || "not named"}, and package.json has version ${version}`]),
  ...(headings.some((line) => line.startsWith("## ") && line.split(" ")[1] === version)
    ? []
    : [`CHANGELOG.md has no heading "## ${version} (date)"`]),
];
for (const fault of faults) console.error(`error: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
