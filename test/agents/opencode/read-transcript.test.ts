import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { kiloPlaces } from "../../../src/agents/kilo/paths.ts";
import { opencodePlaces } from "../../../src/agents/opencode/paths.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { readAll } from "../transcripts.ts";

interface Sqlite {
  DatabaseSync: new (file: string) => { exec(text: string): void; close(): void };
}

const name = "node:sqlite";
/** Not every Node that drwn runs on has it. */
const sqlite: Sqlite | undefined = await import(name).catch(() => undefined);

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = path.join(folder, "opencode/opencode.db");
  fs.mkdirSync(path.dirname(file));
});

test("the databases in OpenCode's folder are found, by when something was last written", () => {
  for (const one of ["opencode.db", "opencode.db-wal", "opencode-dev.db", "opencode.db-shm", "other.db"]) {
    fs.writeFileSync(path.join(folder, "opencode", one), "12");
  }
  const later = new Date("2031-01-01");
  fs.utimesSync(`${file}-wal`, later, later);
  const found = [
    ...opencodePlaces.transcripts.files(
      { cwd: "/p", home: "/nowhere", env: { XDG_DATA_HOME: folder }, drwnHome: "" },
      () => {},
    ),
  ];
  expect(found.map((one) => [path.basename(one.file), one.bytes])).toEqual([
    ["opencode-dev.db", 2],
    ["opencode.db", 4],
  ]);
  expect(found[1]?.changed).toEqual(later);
});

test.skipIf(sqlite !== undefined)("with a Node that has no SQLite it is said that nothing can be read", async () => {
  fs.writeFileSync(file, "SQLite format 3\0");
  const { gaps } = await readAll(opencodePlaces.transcripts, file);
  expect(gaps.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^cannot be read: .*run this with Node 22\.13/u),
  ]);
});

const SCHEMA = `
  CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL, version text NOT NULL);
  CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
  INSERT INTO session VALUES ('ses_1', 'global', NULL, '/p', '1.18.33'), ('ses_2', 'global', 'ses_1', '/p', '1.18.33'),
    ('ses_3', 'global', NULL, '/p', '2.0.0');
`;

function part(id: string, data: object | string, session = "ses_1"): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `INSERT INTO part VALUES ('${id}', 'msg_1', '${session}', 1795390601925, 1795390602143, '${text}');`;
}

const TIME = { start: 1795390601938, end: 1795390602141 };
const INPUT = { command: "ls", description: "a step" };
const RAN = {
  type: "tool",
  tool: "bash",
  callID: "call_1",
  state: { status: "completed", input: INPUT, output: "(no output)", metadata: { exit: 0 }, title: "ls", time: TIME },
};
const DENIED = { ...RAN, state: { status: "error", input: INPUT, error: "[@me/guard#gate] no", time: TIME } };

describe.skipIf(sqlite === undefined)("with a Node that has SQLite", () => {
  function write(...statements: string[]): void {
    const database = sqlite === undefined ? undefined : new sqlite.DatabaseSync(file);
    database?.exec("PRAGMA journal_mode = WAL");
    for (const statement of statements) database?.exec(statement);
    database?.close();
  }

  const read = () => readAll(opencodePlaces.transcripts, file);

  test("a call is told as hooks are told of it, a subagent's with the session of its own", async () => {
    const text = { type: "text", text: 'a "tool"' };
    write(SCHEMA, part("prt_1", RAN), part("prt_2", text), part("prt_3", DENIED, "ses_2"));
    const call = {
      agent: "opencode",
      session: "ses_1",
      folder: "/p",
      startedIn: "/p",
      at: new Date(1795390601925),
      until: new Date(TIME.end),
      id: "call_1",
      tool: "bash",
      input: INPUT,
      outcome: "ran",
      subagent: false,
    };
    // Of an error it doesn't say whose it is.
    const other = { ...call, session: "ses_2", subagent: true, outcome: "unknown" };
    expect(await read()).toEqual({ gaps: [], calls: [call, other] });
  });

  test("Kilo's database is read by the versions of Kilo", async () => {
    write(SCHEMA.replaceAll("1.18.33", "7.7.9"), part("prt_1", RAN));
    expect(await readAll(kiloPlaces.transcripts, file)).toMatchObject({
      gaps: [],
      calls: [{ agent: "kilo", tool: "bash", outcome: "ran" }],
    });
  });

  test.each([
    [
      "another version",
      [SCHEMA, part("prt_1", RAN, "ses_3")],
      "has a session of OpenCode 2.0.0, whose format isn't known",
    ],
    [
      "another form of call",
      [SCHEMA, part("prt_1", { ...RAN, callID: 1 })],
      "has a call that isn't one as OpenCode writes it",
    ],
    [
      "a time that isn't one",
      [SCHEMA, part("prt_1", RAN).replace("1795390601925", "9e15")],
      "has a part that isn't one as OpenCode writes it",
    ],
    ["other tables", ["CREATE TABLE part (data text)"], "isn't a database as OpenCode writes it"],
    [
      "a program in a table's place",
      [SCHEMA, "ALTER TABLE part RENAME TO parts", "CREATE VIEW part AS SELECT * FROM parts"],
      "isn't a database as OpenCode writes it",
    ],
  ])("%s is said, and not guessed", async (_, statements, what) => {
    write(...statements);
    const { calls, gaps } = await read();
    expect([calls, gaps.map((gap) => gap.what)]).toEqual([[], [what]]);
  });

  test.each(["", "-wal", "-shm"])(
    "a pipe in the place of opencode.db%s is refused, and not waited for",
    async (end) => {
      write(SCHEMA, "PRAGMA wal_checkpoint");
      fs.rmSync(`${file}${end}`, { force: true });
      execFileSync("mkfifo", [`${file}${end}`]);
      await expect(read()).rejects.toThrow("is not a regular file");
    },
  );

  test("a file that isn't a database is a failure with a code", async () => {
    fs.writeFileSync(file, "no".repeat(4096));
    await expect(read()).rejects.toHaveProperty("code", "ERR_SQLITE_ERROR");
  });
});
