import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkCodeCache } from "../../src/check/check-home.ts";
import {
  CACHE_KINDS,
  type CacheKind,
  CODE_START,
  codeCacheOf,
  flagsFor,
  LOADER,
  MARK_BYTES,
  SHARD_CACHE_KINDS,
} from "../../src/contract/code-cache.ts";
import { layout } from "../../src/contract/layout.ts";
import { advise, drwn } from "../../src/kernel/advice.ts";
import { digestOf } from "../../src/kernel/digest.ts";
import { cacheCode, makeCaches, markOf } from "../../src/write/code-cache.ts";
import { denying, from, insteadOfNode } from "../hook/launched.ts";
import { type ArmedHome, armHome, hookNode } from "../support/armed-home.ts";
import { reasonOf } from "../support/hook-calls.ts";

const program = ({ home }: ArmedHome) => layout.hookProgram(home, "hook-calls.cjs");
const cacheOf = (armed: ArmedHome) => codeCacheOf(program(armed), "fixed-seed");
const cacheFor = ({ home, key, planDigest: plan }: ArmedHome, node = hookNode().execPath) =>
  cacheCode(home, node, { key, plan, shards: [] });

async function armCached(): Promise<ArmedHome> {
  const armed = armHome([denying]);
  await cacheFor(armed);
  return armed;
}

/** One home for all rows: what each spoils is put back. */
async function shareArmed(): Promise<{ armed: ArmedHome; said: string; restore: () => void }> {
  const armed = await armCached();
  const bin = path.dirname(program(armed));
  fs.cpSync(bin, `${bin}-whole`, { recursive: true });
  const restore = (): void => {
    fs.rmSync(bin, { recursive: true });
    fs.cpSync(`${bin}-whole`, bin, { recursive: true });
  };
  return { armed, said: armed.call().stdout, restore };
}

/** The code of a program that says something else, as the cached code of this one. */
async function forge(armed: ArmedHome, file: string): Promise<void> {
  const text = fs.readFileSync(program(armed));
  const folder = path.join(armed.world, "forge");
  fs.mkdirSync(folder);
  const other = path.join(folder, "hook-calls.cjs");
  fs.writeFileSync(other, text.toString().replaceAll("permissionDecisionReason", "permissionDecisionForged"));
  const { execPath } = hookNode();
  const wanted = [{ file, kind: "fixed-seed" as const, sources: [other] }];
  for (const content of (await makeCaches(execPath, markOf(execPath), wanted)).values()) {
    content.set(text, content.length - text.length);
    fs.writeFileSync(file, content);
  }
}

/** The first copy of the code of a text. */
function codeIn(cache: Buffer, text: string): Buffer {
  return cache.subarray(CODE_START, (CODE_START + cache.length - text.length) / 2);
}

/** Whether V8 refuses the code, with the flags of this kind. */
function isRejected(
  kind: CacheKind,
  { text, filename, code }: { text: string; filename: string; code: Buffer },
): string {
  const script = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "take-")), "take.cjs");
  fs.writeFileSync(`${script}.text`, text);
  fs.writeFileSync(`${script}.code`, code);
  fs.writeFileSync(
    script,
    `const { Script } = require("node:vm"), read = (end, ...how) => require("node:fs").readFileSync(__filename + end, ...how);
    const given = { filename: "${filename}", cachedData: read(".code") };
    console.log(new Script(read(".text", "latin1"), given).cachedDataRejected);`,
  );
  return execFileSync(hookNode().execPath, [...flagsFor(kind), script], { encoding: "utf8" }).trim();
}

/** V8's code of a shard with this text. */
async function codeOfShard(text: string, kind: CacheKind = "fixed-seed"): Promise<Buffer> {
  const shard = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "shard-")), `${digestOf(text)}.cjs`);
  fs.writeFileSync(shard, text);
  const { execPath } = hookNode();
  const [made] = (await makeCaches(execPath, markOf(execPath), [{ file: shard, kind, sources: [shard] }])).values();
  return codeIn(made ?? Buffer.alloc(0), text);
}

const edit = (change: (bytes: Buffer) => Uint8Array) => (file: string) => {
  fs.writeFileSync(file, change(fs.readFileSync(file)));
};
const flip = (at: (bytes: Buffer) => number) =>
  edit((bytes) => {
    const place = at(bytes);
    bytes[place] = (bytes[place] ?? 0) ^ 4;
    return bytes;
  });
const instead = (put: (file: string) => void) => (file: string) => {
  fs.rmSync(file);
  put(file);
};

test("a program's cached code is what runs, and doctor sees code that V8 does not make of it", async () => {
  const armed = await armCached();
  const look = () => checkCodeCache({ drwnHome: armed.home, nodePath: "/nowhere" });
  expect([reasonOf(armed.call()), await look()]).toEqual(["[@me/guards#guard-0] no", []]);
  const file = cacheOf(armed);
  await forge(armed, file);
  expect(armed.call().stdout).toContain("permissionDecisionForged");
  for (const [kind, make] of [
    ["single-call", "mkfifo"],
    ["long-running", "mkdir"],
  ] as const) {
    const other = codeCacheOf(kind === "long-running" ? layout.hook(armed.home) : program(armed), kind);
    fs.rmSync(other);
    execFileSync(make, [other]);
  }
  expect(await look()).toMatchObject([
    {
      comesTo: "hides",
      finding: { severity: "error", subject: file, hint: advise`rm -f ${file} && ${drwn("write")}` },
    },
  ]);
});

describe("cached code", () => {
  let shared: ReturnType<typeof shareArmed>;
  beforeAll(() => {
    shared = shareArmed();
  });

  test.each<[string, (file: string, armed: ArmedHome) => void]>([
    ["is missing", instead(() => {})],
    ["is empty", edit(() => Buffer.alloc(0))],
    ["ends in its first line", edit((bytes) => bytes.subarray(0, MARK_BYTES + 100))],
    ["is cut in half", edit((bytes) => bytes.subarray(0, bytes.length / 2))],
    ["has lost its last byte", edit((bytes) => bytes.subarray(0, -1))],
    ["is longer", edit((bytes) => Buffer.concat([bytes, bytes]))],
    ["has another bit in its code", flip((bytes) => Math.floor(bytes.length / 3))],
    ["has another bit in the second copy of it", flip((bytes) => Math.floor(bytes.length / 1.6))],
    ["has another bit in the program's text", flip((bytes) => bytes.length - 1000)],
    ["is of another version of Node", flip(() => MARK_BYTES + 2)],
    ["is all zeros", edit((bytes) => bytes.fill(0))],
    ["is of another program", (file, { home }) => fs.copyFileSync(codeCacheOf(layout.hook(home), "fixed-seed"), file)],
    ["is for other flags of V8", (file, armed) => fs.copyFileSync(codeCacheOf(program(armed), "single-call"), file)],
    ["is a folder", instead((file) => fs.mkdirSync(file))],
    ["is a pipe that nobody writes to", instead((file) => execFileSync("mkfifo", [file]))],
    ["is a device without end", instead((file) => fs.symlinkSync("/dev/zero", file))],
    ["leads to itself", instead((file) => fs.symlinkSync(file, file))],
    ["has nothing that takes it", (_, { home }) => fs.rmSync(layout.hookProgram(home, LOADER))],
    ["is of the program before an update", (_, armed) => fs.appendFileSync(program(armed), "\n")],
  ])("changes no answer where it %s", async (_, spoil) => {
    const { armed, said, restore } = await shared;
    spoil(cacheOf(armed), armed);
    const { stdout, stderr } = armed.call();
    restore();
    expect([stdout, stderr]).toEqual([said, ""]);
  });

  test.each(CACHE_KINDS)("is what V8 takes with the flags of %s", async (kind) => {
    const { armed } = await shared;
    const program = fs.readFileSync(layout.hook(armed.home), "latin1");
    const code = codeIn(fs.readFileSync(codeCacheOf(layout.hook(armed.home), kind)), program);
    const text = `(function (exports, require, module, __filename, __dirname) { ${program}\n})`;
    expect(isRejected(kind, { text, filename: "drwn-hook", code })).toBe("false");
  });

  test("is made anew where it is spoiled, and left where it is not", async () => {
    const armed = await armCached();
    const file = cacheOf(armed);
    const [made, { ino }] = [fs.readFileSync(file), fs.statSync(file)];
    await cacheFor(armed);
    expect(fs.statSync(file).ino).toBe(ino);
    flip(() => CODE_START + 5000)(file);
    await cacheFor(armed);
    expect(fs.readFileSync(file).equals(made)).toBe(true);
  });

  test("is done without where it cannot be made", async () => {
    const armed = armHome([denying]);
    for (const node of ["/nowhere/node", "/bin/true", armed.project]) await cacheFor(armed, node);
    expect(reasonOf(armed.call())).toBe("[@me/guards#guard-0] no");
  });

  test("blocks where what takes it dies", async () => {
    const armed = await armCached();
    insteadOfNode(armed, `case "$*" in *${LOADER}*) kill -SEGV $$ ;; esac`);
    expect(armed.call().stderr).toMatch(/^drwn: the hook process died/u);
    fs.writeFileSync(layout.hookProgram(armed.home, LOADER), "");
    expect(armed.call().stderr).toMatch(/^drwn: the hook process died/u);
  });

  test("spares the processes of several publishers as well", async () => {
    const armed = armHome([denying, { ...denying, publisher: "another" }]);
    await cacheFor(armed);
    const said = path.join(armed.world, "started");
    insteadOfNode(armed, `echo "$*" >>'${said}'`);
    expect(reasonOf(armed.call(from(armed.project)))).toContain("no");
    expect(fs.readFileSync(said, "utf8")).toContain(
      `${LOADER} ${codeCacheOf(layout.hook(armed.home), "long-running")}`,
    );
  });
});

describe("cached code of the SDK that policies share", () => {
  const own = fs.readFileSync(path.join(import.meta.dirname, "../../dist/code-cache/sdk.cjs"), "utf8");

  test.each(SHARD_CACHE_KINDS)("has what ordinary calls run, always the same, with the flags of %s", async (kind) => {
    const [code, again, whole] = await Promise.all([own, own, `${own} `].map((text) => codeOfShard(text, kind)));
    expect(code?.length).toBeLessThan(0.7 * (whole?.length ?? 0));
    expect(again?.equals(code ?? Buffer.alloc(0))).toBe(true);
    expect(isRejected(kind, { text: own, filename: "drwn-policies", code: code ?? Buffer.alloc(0) })).toBe("false");
  });

  test("is made without running anything but exactly this SDK", async () => {
    const said = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "said-")), "said");
    const says = `process.getBuiltinModule?.("node:fs").writeFileSync(${JSON.stringify(said)}, "");`;
    const other = own.replace('"use strict";', `"use strict";${says}`);
    for (const text of [other, `${says}${own}`, `[(function(){${says}})]`, says]) {
      expect((await codeOfShard(text)).length).toBeGreaterThan(0);
    }
    expect(fs.existsSync(said)).toBe(false);
  });
});
