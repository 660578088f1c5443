import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newPerson, publishGuard } from "../support/people.ts";

test("card show --source prints what a card is made of, and cleans each line of it", () => {
  const person = newPerson();
  publishGuard(person);
  const file = path.join(person.home, ".agents/drwn/sources/@me/one/hooks/guard/policy.ts");
  fs.appendFileSync(file, "// \u001b[31mred\u202e\n");
  expect(person.drwn("card source set @me/one --version 1.0.1").status).toBe(0);
  expect(person.drwn("card publish @me/one").status).toBe(0);
  const { stdout } = person.drwn("card show @me/one --source");
  expect(stdout).toContain('2  export default defineToolPolicy({ policyKind: "enforcement", matcher: "Bash",');
  expect(stdout).not.toMatch(/[\u001b\u202e]/u);
});

test("`drwn init` without a terminal makes a project, and then says what a project takes next", () => {
  const { drwn } = newPerson();
  for (const said of ["Made ", " is a drwn project already, with 0 cards"])
    expect(drwn("init").stdout).toMatch(new RegExp(`${said}.*(?:\n.*)?\nNext: drwn init --yes\n`, "u"));
});

test("`drwn` alone says where the project stands, and shows the help elsewhere", () => {
  const { drwn, project } = newPerson();
  expect(drwn("").stdout).toContain("Use cards in a project");
  expect(drwn("init").status).toBe(0);
  const below = path.join(project, "below");
  fs.mkdirSync(below);
  for (const folder of [project, below]) expect(drwn("", folder).stdout).toContain(`Project ${project}`);
});

test("`drwn update -i` without a terminal says what works there, before it asks a registry", () => {
  const { drwn } = newPerson();
  expect(drwn("init").status).toBe(0);
  const { status, stderr } = drwn("update -i @me/one");
  expect(status).toBe(1);
  expect(stderr).toContain("DRWN_TERMINAL_NEEDED");
  expect(stderr).toContain("drwn update @me/one");
});
