import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/cards.ts";
import { type Call, canFail, SHAPES } from "../support/faults/replay.ts";
import { sweep } from "../support/sweep.ts";
import { PROGRAM, SystemMachine, whyNoMachine } from "../support/system-machine.ts";

const CARD = "@drwn/cloud";
const DENIED = "terraform destroy -auto-approve";
const ENTRY = "claude-code/managed-settings.d/50-drwn.json";
const OTHERS = "# ours\nallow_managed_hooks_only = true\n";
const WRITE = ["write", "--system", "--no-mods"];
const AN_HOUR = 3_600_000;

const why = whyNoMachine();

describe.skipIf(why !== undefined)(
  `a floor that meets with trouble (${why ?? "run as root"})`,
  { timeout: AN_HOUR },
  () => {
    let asked: SystemMachine;
    let floor: SystemMachine;
    let grown: SystemMachine;
    beforeAll(() => {
      asked = new SystemMachine();
      fs.mkdirSync(asked.at("codex"));
      fs.writeFileSync(asked.at("codex/requirements.toml"), OTHERS);
      asked.drwn("add", "--system", CARD);
      asked.drwn("card", "trust", "--system", CARD, "--hooks", "--yes");
      floor = asked.copy();
      floor.drwn("write", "--system");
      grown = floor.copy();
      grown.drwn("add", "--system", "@drwn/secrets");
      grown.drwn("card", "trust", "--system", "@drwn/secrets", "--hooks", "--yes");
    }, AN_HOUR);

    test.each<[string, () => SystemMachine]>([
      ["a first one", () => asked],
      ["one that changes what stands", () => grown],
    ])(
      "`write --system`, %s, is killed or finds a full disk at any call: no denied call passes, and it is run again",
      (_, from) => {
        const whole = from().copy();
        const log = path.join(temporaryFolder(), "calls.json");
        expect(whole.drwnFaulty({ log }, ...WRITE).status).toBe(0);
        const calls: Call[] = JSON.parse(fs.readFileSync(log, "utf8"));
        const points = SHAPES.flatMap((shape) =>
          calls.flatMap((call, at) => (canFail(call, shape) ? [{ shape, at: at + 1, target: call.target }] : [])),
        );
        for (const { target, ...point } of sweep(points, 4)) {
          const machine = from().copy();
          const where = `${point.shape} at ${point.at} of ${calls.length}: ${target}`;
          expect(machine.drwnFaulty(point, ...WRITE).status, where).not.toBe(70);
          expect(fs.readFileSync(machine.at("codex/requirements.toml"), "utf8"), where).toContain(OTHERS);
          if (fs.existsSync(machine.at(ENTRY))) expect(passes(machine, DENIED), where).toBe(false);
          expect(machine.drwn(...WRITE).status, where).toBe(0);
          expect(passes(machine, DENIED), where).toBe(false);
          expect(passes(machine, "true"), where).toBe(true);
          for (const file of [ENTRY, "codex/requirements.toml"])
            expect(fs.readFileSync(machine.at(file)), where).toEqual(fs.readFileSync(whole.at(file)));
          machine.remove();
        }
      },
    );

    test("two `write --system` at once leave what one would", () => {
      const machine = asked.copy();
      const whole = asked.copy();
      whole.drwn(...WRITE);
      const script = '"$@" & one=$!; "$@" & two=$!; wait $one; a=$?; wait $two; echo "$a $?"';
      const { stdout } = machine.script(script, process.execPath, PROGRAM, ...WRITE);
      expect(stdout.trim().split("\n").at(-1)).toMatch(/^[01] [01]$/u);
      expect(machine.drwnAsNobody("status", "--system", "--check")).toMatchObject({ status: 0 });
      expect(fs.readFileSync(machine.at(ENTRY))).toEqual(fs.readFileSync(whole.at(ENTRY)));
      expect(passes(machine, DENIED)).toBe(false);
    });

    test("holds for fifty users, one after another and ten at once, each with a journal of their own", () => {
      const machine = floor.copy();
      const event = JSON.stringify({
        ...{ session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: "t", cwd: "/" },
        tool_input: { command: DENIED },
      });
      const { stdout } = machine.script(AS_FIFTY, event, ...machine.entry());
      expect(stdout.match(/"permissionDecision":"deny"/gu)).toHaveLength(50);
      for (let user = 20_001; user <= 20_050; user++) {
        const journal = machine.at(`homes/${user}/.agents/drwn/system/projects/${machine.key}/journal.jsonl`);
        const { uid, mode } = fs.statSync(journal);
        expect({ user, uid, mode: mode & 0o777 }).toEqual({ user, uid: user, mode: 0o600 });
        expect(fs.readFileSync(journal, "utf8").trim().split("\n")).toHaveLength(1);
      }
    });
  },
);

function passes(machine: SystemMachine, command: string): boolean {
  const { status, stdout } = machine.call(command);
  return status === 0 && !stdout.includes('"deny"');
}

const AS_FIFTY = `
event=$1
shift
as_user() {
  user=$1
  shift
  mkdir -p /etc/homes/$user && chown $user:$user /etc/homes/$user
  printf %s "$event" | env -i HOME=/etc/homes/$user PATH="$PATH" /usr/bin/setpriv --reuid $user --regid $user --clear-groups "$@"
}
for one in $(seq 20001 20040); do as_user $one "$@"; done
for one in $(seq 20041 20050); do as_user $one "$@" & done
wait`;
