import fs from "node:fs";
import path from "node:path";
import { hookRow, isDenied, isSilent } from "./rows.mjs";
import { drwn, makeWorld } from "./world.mjs";

const HARMLESS = "cd src && npm test -- --run 2>&1 | tail -n 40";
const HARMFUL = "cd build && git push --force origin main";

/**
 * Every hook of every card that comes with drwn, trusted in one project: a call that none of them objects to, one that is denied, and one of a
 * tool that none of them wants.
 * @param {string} folder
 */
export function catalogueRows(folder) {
  const world = makeWorld(path.join(folder, "catalogue"));
  drwn(world, "init");
  const cards = fs
    .readdirSync(new URL("../../templates/cards/", import.meta.url))
    .filter((name) => !name.includes("."));
  for (const card of cards) {
    drwn(world, "add", `@drwn/${card}`);
    drwn(world, "card", "trust", `@drwn/${card}`, "--hooks", "--yes");
  }
  drwn(world, "write");
  const target = { ratio: 1.7 };
  return [
    { ...hookRow("the whole catalogue, let through", world, HARMLESS), target, fault: isSilent },
    { ...hookRow("the whole catalogue, denied", world, HARMFUL), target, fault: isDenied },
    unwanted(hookRow("a call that no guard of the catalogue wants", world, HARMLESS)),
  ];
}

function unwanted(row) {
  const event = { ...JSON.parse(row.stdin), tool_name: "TodoWrite", tool_input: { todos: [] } };
  return { ...row, stdin: JSON.stringify(event), target: { ratio: 1.35 }, fault: isSilent };
}
