import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { temporaryFolder } from "./cards.ts";
import { runHere } from "./here.ts";

export const BIN = path.resolve(import.meta.dirname, "../../bin/drwn.js");
export const CARD = "@drwn/self";

export interface Person {
  env: Readonly<Record<string, string>>;
  home: string;
  project: string;
  drwn: (...args: string[]) => Promise<{ status: number | null; stdout: string; stderr: string }>;
}

/** Somebody with these folders of agents at home, and these programs on PATH. */
export function person({ folders = [], programs = [] }: { folders?: string[]; programs?: string[] }): Person {
  const base = fs.realpathSync(temporaryFolder());
  const [home, project, bin] = ["home", "project", "bin"].map((name) => path.join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [project, bin, home, ...folders.map((name) => path.join(home, name))])
    fs.mkdirSync(folder, { recursive: true });
  for (const name of programs) fs.writeFileSync(path.join(bin, name), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` };
  const drwn: Person["drwn"] = async (...args) => {
    const done = await runHere({ cwd: project, home, env }, args);
    if (done !== undefined) return { ...done, status: done.exitCode };
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
      cwd: project,
      env,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  return { env, home, project, drwn };
}

/** A project with a card that the person has consented to; its config.json names these agents, if any. */
export async function consented(machine: Person, runtimes?: string[]): Promise<Person> {
  await machine.drwn("init");
  await machine.drwn("add", CARD, "--trust", "--yes");
  if (runtimes !== undefined) {
    const file = path.join(machine.project, ".agents/drwn/config.json");
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), runtimes }));
  }
  return machine;
}

/** The files of agents at home that ask drwn. */
export function wiredAt({ home }: Person): string[] {
  const files = fs.readdirSync(home, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => !file.startsWith(".agents") && fs.statSync(path.join(home, file)).isFile())
    .filter((file) => fs.readFileSync(path.join(home, file), "utf8").includes("/bin/hook"))
    .sort();
}
