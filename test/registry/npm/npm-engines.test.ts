import fs from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";

const LIBRARIES = ["@npmcli/config", "make-fetch-happen", "npm-registry-fetch"];
const load = createRequire(import.meta.url);

// drwn runs on Node 20.12, and these libraries say that they want 20.17. They were tried: with DRWN_TEST_NODE naming a
// Node 20.12.2, test/sweeps/npm-registry.test.ts publishes, installs, searches and deprecates against a real registry. When
// this test fails, the libraries have moved on: try again, then put their new words here.
test("npm's libraries ask for the Node that they were tried without", () => {
  const asked = LIBRARIES.map((name) => {
    const folder = (load.resolve.paths(name) ?? [])
      .map((place) => `${place}/${name}`)
      .find((place) => fs.existsSync(place));
    return [name, JSON.parse(fs.readFileSync(`${folder}/package.json`, "utf8")).engines.node];
  });
  expect(asked).toEqual(LIBRARIES.map((name) => [name, "^20.17.0 || >=22.9.0"]));
  const own = JSON.parse(fs.readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(own.engines.node).toBe(">=20.12");
});
