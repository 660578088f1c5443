import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { applyChanges } from "../../src/wiring/changes.ts";
import { expectLargeSettingsBack } from "../agents/large-settings.ts";
import { SETTINGS_FILES } from "../agents/settings-files.ts";
import { temporaryFolder } from "../support/cards.ts";
import { problemOf } from "../support/problems.ts";
import { fitted, locate, MARK, Machine, marks, PLACES, type Place, SERVED } from "../support/settings-places.ts";
import { sweep } from "../support/sweep.ts";

/** A file with hooks of another tool under the events of ours, as the agent of this place has them. */
function theirs(place: Place): string {
  const text = fitted(SETTINGS_FILES["hooks of others in every event of ours"] ?? "", place);
  return place.shape === "entries"
    ? `[\n  {"name": "mine", "event": "${place.events[0]}", "handler": {"bash": "true"}}\n]\n`
    : text;
}

describe.each(sweep(PLACES, 4).map((place) => [`${place.target.runtime}, ${place.kind}`, place] as const))(
  "settings of %s",
  (_, place) => {
    const { kind } = place;

    test("that are a link to a folder of the home or the project are written behind it", () => {
      const machine = new Machine(place.target);
      const settings = locate(place, machine);
      const behind = path.join(kind === "user" ? machine.home : machine.root, "dotfiles", "settings.json");
      fs.mkdirSync(path.dirname(behind));
      fs.writeFileSync(behind, theirs(place), { mode: 0o640 });
      fs.symlinkSync(path.relative(path.dirname(settings), behind), settings);
      applyChanges(machine.planHooks(kind).changes);
      expect([fs.lstatSync(settings).isSymbolicLink(), fs.statSync(behind).mode & 0o777]).toEqual([true, 0o640]);
      expect(marks(fs.readFileSync(behind, "utf8"))).toBeGreaterThan(0);
      applyChanges(machine.planHooks(kind, false).changes);
      expect([fs.lstatSync(settings).isSymbolicLink(), fs.readFileSync(behind, "utf8")]).toEqual([true, theirs(place)]);
    });

    test.each(["elsewhere", "nowhere"])("that are a link to %s are refused", async (where) => {
      const machine = new Machine(place.target);
      const settings = locate(place, machine);
      const outside = path.join(temporaryFolder(), "settings.json");
      if (where === "elsewhere") fs.writeFileSync(outside, theirs(place));
      fs.symlinkSync(outside, settings);
      const { code, message } = await problemOf(() => machine.planHooks(kind));
      expect(code).toBe("DRWN_SETTINGS_UNSAFE");
      expect(message).toContain(settings);
      if (where === "elsewhere") expect(fs.readFileSync(outside, "utf8")).toBe(theirs(place));
    });

    test("that are read-only are refused with what to type, and stay", async () => {
      const machine = new Machine(place.target);
      const settings = locate(place, machine);
      fs.writeFileSync(settings, theirs(place), { mode: 0o444 });
      const { code, message, hint } = await problemOf(() => machine.planHooks(kind));
      expect([code, message]).toEqual(["DRWN_TARGET_UNWRITABLE", `${settings} is read-only`]);
      expect(hint).toContain(`chmod u+w ${settings}`);
      expect(fs.readFileSync(settings, "utf8")).toBe(theirs(place));
      fs.chmodSync(settings, 0o644);
      applyChanges(machine.planHooks(kind).changes);
      fs.chmodSync(settings, 0o444);
      expect(machine.planHooks(kind).changes).toEqual([]);
      expect((await problemOf(() => machine.planHooks(kind, false))).code).toBe("DRWN_TARGET_UNWRITABLE");
    });

    test("get entries of ours behind those of another tool, and give them back", () => {
      const machine = new Machine(place.target);
      const settings = locate(place, machine);
      fs.writeFileSync(settings, theirs(place));
      applyChanges(machine.planHooks(kind).changes);
      const current = fs.readFileSync(settings, "utf8");
      expect(current.search(MARK)).toBeGreaterThan(current.indexOf(place.shape === "entries" ? "mine" : "echo theirs"));
      applyChanges(machine.planHooks(kind, false).changes);
      expect(fs.readFileSync(settings, "utf8")).toBe(theirs(place));
    });
  },
);

const ONE_OF_EACH_SHAPE = PLACES.filter(({ shape }, at) => at === PLACES.findIndex((place) => place.shape === shape));

// Of every place in test/sweeps/large-settings.test.ts.
test.each(ONE_OF_EACH_SHAPE.map((place) => [place.shape, place] as const))(
  "settings of %s that are large are written, and given back byte for byte",
  (_, place) => expectLargeSettingsBack(place),
);

describe.each(SERVED.map((target) => [target.runtime, target] as const))(
  "the file of MCP servers of %s",
  (_, target) => {
    function serverFile(bytes: string | Uint8Array, mode?: number): { machine: Machine; file: string } {
      const machine = new Machine(target);
      const [change] = machine.planServers(["alpha"])?.changes ?? [];
      if (change === undefined) throw new Error("no file of servers is written");
      fs.mkdirSync(path.dirname(change.path), { recursive: true });
      fs.writeFileSync(change.path, bytes, { mode });
      return { machine, file: change.path };
    }
    const isToml = target.runtime === "codex";
    const text = isToml ? 'model = "x" # mine\n' : '{"mcpServers": {"mine": {"command": "mine"}}}\n';

    test.each<[string, Uint8Array]>([
      ["bytes that are no UTF-8", Buffer.concat([Buffer.from(isToml ? "# " : '{"a": "'), Buffer.from([0xe9, 0x0a])])],
      ["what cannot be parsed", Buffer.from("{ = ")],
      [
        "more than drwn reads",
        Buffer.from(isToml ? `# ${"x".repeat(5_000_000)}\n` : `{"a": "${"x".repeat(5_000_000)}"}`),
      ],
    ])("with %s is refused by its name, and stays", async (_what, bytes) => {
      const { machine, file } = serverFile(bytes);
      const { message } = await problemOf(() => machine.planServers(["alpha"]));
      expect(message).toContain(file);
      expect(fs.readFileSync(file).equals(bytes)).toBe(true);
    });

    test("that is read-only is refused, and stays", async () => {
      const { machine, file } = serverFile(text, 0o444);
      expect((await problemOf(() => machine.planServers(["alpha"]))).code).toBe("DRWN_TARGET_UNWRITABLE");
      expect(fs.readFileSync(file, "utf8")).toBe(text);
    });

    test("that is a link is written behind it where that lies in the project, and refused elsewhere", async () => {
      const { machine, file } = serverFile(text);
      const behind = path.join(machine.root, "real");
      fs.renameSync(file, behind);
      fs.symlinkSync(behind, file);
      machine.writeServers(["alpha"]);
      expect(fs.readFileSync(behind, "utf8")).toContain("alpha-server");
      machine.writeServers([]);
      expect([fs.lstatSync(file).isSymbolicLink(), fs.readFileSync(behind, "utf8")]).toEqual([true, text]);
      fs.rmSync(file);
      fs.symlinkSync(path.join(temporaryFolder(), "outside"), file);
      expect((await problemOf(() => machine.planServers(["alpha"]))).code).toBe("DRWN_SETTINGS_UNSAFE");
    });
  },
);
