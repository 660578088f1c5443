import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { checkCodeCache } from "../../src/check/check-home.ts";
import { CODE_START, MARK_BYTES } from "../../src/contract/code-cache.ts";
import { layout } from "../../src/contract/layout.ts";
import { POLICIES_IN_ONE_PLAN } from "../../src/contract/plan.ts";
import { closeCodeCache, openCodeCache } from "../../src/hook/code-cache/read.ts";
import { refusalIn } from "../../src/hook/verify/read-ledger.ts";
import { advise, drwn } from "../../src/kernel/advice.ts";
import { digestOf } from "../../src/kernel/digest.ts";
import { cacheCode, markOf } from "../../src/write/code-cache.ts";
import { type ArmedHome, armHome, hookNode } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";

const denies = (reason: string) => `{ beforeToolCall() { return { action: "deny", reason: "${reason}" }; } }`;

interface CachedHome {
  armed: ArmedHome;
  /** The cached code for a tool call. */
  file: string;
  /** The shard of `Bash`. */
  shard: string;
}

async function armCached(reason = "approved"): Promise<CachedHome> {
  const others = Array.from({ length: POLICIES_IN_ONE_PLAN }, (_, at) => ({
    policy: denies("other"),
    matcher: `Other${at}`,
  }));
  const armed = armHome([{ hook: "named", policy: denies(reason), matcher: "Bash" }, ...others]);
  await cacheFor(armed);
  const names = shardsOf(armed).map((digest) => layout.shard(armed.home, armed.key, digest));
  const shard = names.find((name) => fs.readFileSync(name, "utf8").includes('"named"')) ?? "";
  return { armed, file: layout.shardCache(armed.home, armed.planDigest, "fixed-seed"), shard };
}

function shardsOf({ home, key }: ArmedHome): string[] {
  return fs.readdirSync(path.dirname(layout.shard(home, key, "x"))).map((name) => path.basename(name, ".cjs"));
}

function cacheFor(armed: ArmedHome): Promise<void> {
  const { home, key, planDigest: plan } = armed;
  return cacheCode(home, hookNode().execPath, { key, plan, shards: shardsOf(armed) });
}

const look = ({ home }: ArmedHome) => checkCodeCache({ drwnHome: home, nodePath: hookNode().execPath });

/** Where the file says that V8's code of the shard is. */
function placeOf(bytes: Buffer, shard: string): [start: number, length: number] {
  const start = bytes.indexOf("\n", MARK_BYTES) + 1;
  return JSON.parse(bytes.toString("latin1", start, bytes.indexOf("\n", start)))[path.basename(shard, ".cjs")];
}

function withPlaces(bytes: Buffer, change: (text: string) => string): Buffer {
  const start = bytes.indexOf("\n", MARK_BYTES) + 1;
  const changed = Buffer.from(bytes);
  changed.write(change(bytes.toString("latin1", start, bytes.indexOf("\n", start) + 1)), start, "latin1");
  return changed;
}

/** V8's code of a shard that says something else, as the cached code of this one. */
async function forge({ armed, file, shard }: CachedHome): Promise<void> {
  const text = fs.readFileSync(shard);
  const other = text.toString().replace("approved", "replaced");
  fs.writeFileSync(layout.shard(armed.home, armed.key, digestOf(other)), other);
  const plan = path.join(armed.home, `projects/${armed.key}/plan-${digestOf("other")}.json`);
  fs.writeFileSync(plan, "{}");
  const shards = shardsOf(armed).filter((one) => one !== digestOf(text));
  await cacheCode(armed.home, hookNode().execPath, { key: armed.key, plan: digestOf("other"), shards });
  const made = layout.shardCache(armed.home, digestOf("other"), "fixed-seed");
  const bytes = fs.readFileSync(made);
  const [start, length] = placeOf(bytes, `${digestOf(other)}.cjs`);
  bytes.write(bytes.toString("latin1", 0, start).replace(digestOf(other), digestOf(text)), "latin1");
  text.copy(bytes, start + 2 * length);
  fs.writeFileSync(file, bytes);
  for (const name of ["fixed-seed", "single-call"]) fs.rmSync(layout.shardCache(armed.home, digestOf("other"), name));
}

test("a shard's cached code is what runs, and doctor sees code that V8 does not make of it", async () => {
  const cached = await armCached();
  const { armed, file } = cached;
  expect([reasonOf(armed.call()), await look(armed)]).toEqual(["[@me/guards#named] approved", []]);
  await forge(cached);
  expect(reasonOf(armed.call())).toBe("[@me/guards#named] replaced");
  const found = {
    comesTo: "hides",
    finding: { severity: "error", subject: file, hint: advise`rm -f ${file} && ${drwn("write")}` },
  };
  expect(await look(armed)).toMatchObject([found]);
  // The hook looks for the shards of a call alone, whatever else the file names.
  const forged = fs.readFileSync(file);
  const isLength = new RegExp(`(${path.basename(cached.shard, ".cjs")}":\\[\\d+,)(\\d+)`, "u");
  const ways = [
    (text: string) => `{"x":1,${text.slice(1)}`,
    (text: string) => `{"${digestOf("nowhere")}":[1,1],${text.slice(1)}`,
  ];
  for (const change of ways) {
    fs.writeFileSync(file, withPlaces(forged, change));
    expect([reasonOf(armed.call()), await look(armed)]).toMatchObject(["[@me/guards#named] replaced", [found]]);
  }
  // A place that isn't in numbers is none.
  fs.writeFileSync(
    file,
    withPlaces(forged, (text) => text.replace(isLength, '$1"$2"')),
  );
  expect(reasonOf(armed.call())).toBe("[@me/guards#named] approved");
});

test("a shard that was altered blocks, whatever is cached of it", async () => {
  const { armed, shard } = await armCached();
  const text = fs.readFileSync(shard, "utf8");
  fs.writeFileSync(shard, text.replace("approved", "replaced"));
  expect(reasonOf(armed.call())).toContain("a compiled policy of this project is altered");
  // Nor is its code cached.
  const file = layout.shardCache(armed.home, armed.planDigest, "fixed-seed");
  fs.rmSync(file);
  await cacheFor(armed);
  expect(fs.existsSync(file)).toBe(false);
  expect(verdictOf(armed.call())).toBe("deny");
});

const edit = (change: (bytes: Buffer) => Uint8Array) => (file: string) => {
  fs.writeFileSync(file, change(fs.readFileSync(file)));
};
const flip = (at: (bytes: Buffer, shard: string) => number) => (file: string, shard: string) => {
  const bytes = fs.readFileSync(file);
  const place = at(bytes, shard);
  bytes[place] = (bytes[place] ?? 0) ^ 4;
  fs.writeFileSync(file, bytes);
};
const instead = (put: (file: string) => void) => (file: string) => {
  fs.rmSync(file);
  put(file);
};
const intoLink = (file: string) => {
  fs.renameSync(file, `${file}.other`);
  fs.symlinkSync(`${file}.other`, file);
};
const places = (text: string) =>
  edit((bytes) => {
    const start = bytes.indexOf("\n", MARK_BYTES) + 1;
    bytes.fill(" ", start, CODE_START).write(`${text}\n`, start);
    return bytes;
  });

describe("cached code of shards", () => {
  let shared: Promise<CachedHome & { said: string }>;
  beforeAll(() => {
    shared = armCached().then((cached) => ({ ...cached, said: cached.armed.call().stdout }));
  });

  test.each<[string, (file: string, shard: string) => void]>([
    ["is missing", instead(() => {})],
    ["is empty", edit(() => Buffer.alloc(0))],
    ["is cut in half", edit((bytes) => bytes.subarray(0, bytes.length / 2))],
    ["has another bit in its code", flip((bytes, shard) => (placeOf(bytes, shard)[0] ?? 0) + 300)],
    [
      "has another bit in the second copy",
      flip((bytes, shard) => placeOf(bytes, shard)[0] + placeOf(bytes, shard)[1] + 300),
    ],
    [
      "has another bit in the text",
      flip((bytes, shard) => placeOf(bytes, shard)[0] + 2 * placeOf(bytes, shard)[1] + 9),
    ],
    ["is of another version of Node", flip(() => MARK_BYTES + 2)],
    ["has places that are none", places("null")],
    ["has places that aren't JSON", places("{")],
    ["has a place that ends nowhere", (file, shard) => places(`{"${path.basename(shard, ".cjs")}":[99,1e300]}`)(file)],
    ["has a place before its start", (file, shard) => places(`{"${path.basename(shard, ".cjs")}":[-9,8]}`)(file)],
    ["is for other flags of V8", (file) => fs.copyFileSync(file.replace(/fixed-seed$/u, "single-call"), file)],
    ["is a folder", instead((file) => fs.mkdirSync(file))],
    ["is a pipe that nobody writes to", instead((file) => execFileSync("mkfifo", [file]))],
    ["is a device without end", instead((file) => fs.symlinkSync("/dev/zero", file))],
  ])("changes no answer where it %s", async (_, spoil) => {
    const { armed, file, shard, said } = await shared;
    const whole = fs.readFileSync(file);
    spoil(file, shard);
    const { stdout, stderr } = armed.call();
    fs.rmSync(file, { recursive: true, force: true });
    fs.writeFileSync(file, whole);
    expect([stdout, stderr]).toEqual([said, ""]);
  });

  test("is made anew where it is spoiled, left where it isn't, and goes with its plan", async () => {
    const { armed, file, shard } = await armCached();
    const [made, { ino }] = [fs.readFileSync(file), fs.statSync(file)];
    await cacheFor(armed);
    expect(fs.statSync(file).ino).toBe(ino);
    flip((bytes) => placeOf(bytes, shard)[0] + 300)(file, shard);
    await cacheFor(armed);
    expect(fs.readFileSync(file).equals(made)).toBe(true);
    fs.rmSync(armed.planFile);
    await cacheCode(armed.home, hookNode().execPath, { key: armed.key, plan: "", shards: [] });
    expect(fs.existsSync(file)).toBe(false);
  });

  test("goes from every plan where another drwn made it, which compiles the SDK differently", async () => {
    const { armed, file } = await armCached();
    const [made, other] = [
      fs.readFileSync(file),
      `${file.slice(0, file.indexOf("sha256-"))}${digestOf("x")}.fixed-seed`,
    ];
    fs.writeFileSync(path.join(armed.home, `projects/${armed.key}/plan-${digestOf("x")}.json`), "{}");
    const older = Buffer.from(made).fill("0", 0, MARK_BYTES);
    for (const place of [file, other]) fs.writeFileSync(place, older);
    await cacheFor(armed);
    expect([fs.readFileSync(file).equals(made), fs.existsSync(other)]).toEqual([true, false]);
  });

  test("has a mark of what makes it", () => {
    const before = markOf(process.execPath);
    const read = vi.spyOn(fs, "readFileSync").mockReturnValue("another drwn's");
    const after = markOf(process.execPath);
    read.mockRestore();
    expect([after.length, after === before, markOf(process.execPath)]).toEqual([MARK_BYTES, false, before]);
  });

  test.skipIf(process.getuid?.() !== 0).each<[string, (file: string) => void]>([
    ["belongs to a user", (file) => fs.chownSync(file, 65_534, 65_534)],
    ["can be written to by others", (file) => fs.chmodSync(file, 0o646)],
    ["is a link", intoLink],
  ])("isn't taken in root's place where it %s", async (_, spoil) => {
    const { armed } = await shared;
    const copy = path.join(armed.world, "copy");
    fs.cpSync(armed.home, copy, { recursive: true });
    const isTaken = (): boolean => {
      const cache = openCodeCache(layout.shardCache(copy, armed.planDigest, "single-call"), refusalIn("/etc/drwn"));
      closeCodeCache(cache);
      return cache !== null;
    };
    const before = isTaken();
    spoil(layout.shardCache(copy, armed.planDigest, "single-call"));
    expect([before, isTaken()]).toEqual([true, false]);
    fs.rmSync(copy, { recursive: true });
  });
});
