import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../support/cards.ts";
import { runHere } from "../support/here.ts";

export const repository = path.resolve(import.meta.dirname, "../..");

/** A throw-away home with a project in it, for the commands of one page. */
export interface World {
  home: string;
  project: string;
  drwnHome: string;
  isReal: boolean;
}

export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

export function makeWorld(isReal: boolean): World {
  const home = temporaryFolder();
  const project = path.join(home, "my-project");
  // Claude Code is used here.
  fs.mkdirSync(path.join(home, ".claude"));
  fs.mkdirSync(project);
  return { home, project, drwnHome: path.join(home, ".agents", "drwn"), isReal };
}

/** What a user types in the project: by the real program on a page that is `isReal`, else by its commands in this process. */
export async function runDrwn(world: World, words: readonly string[]): Promise<Outcome> {
  const seat = { cwd: world.project, home: world.home, env: environmentOf(world) };
  const done = world.isReal ? undefined : await runHere(seat, words);
  if (done !== undefined) return { status: done.exitCode, stdout: done.stdout, stderr: done.stderr };
  return run(world, { program: process.execPath, words: [path.join(repository, "bin/drwn.js"), ...words] });
}

function environmentOf({ home, project }: World) {
  return { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", CLAUDE_PROJECT_DIR: project };
}

/** Sends an event of Claude Code through exactly the program that its settings name. */
export function callHook(world: World, event: { hook_event_name: string }): Outcome {
  const settings = JSON.parse(fs.readFileSync(path.join(world.home, ".claude", "settings.json"), "utf8"));
  const { command, args } = settings.hooks?.[event.hook_event_name]?.[0]?.hooks?.[0] ?? {};
  if (typeof command !== "string") throw new Error(`the settings have no hook for ${event.hook_event_name}`);
  return run(world, { program: command, words: args, input: JSON.stringify(event) });
}

export function sourceFolder(world: World, card: string): string {
  const folder = path.join(world.drwnHome, "sources", card);
  if (!fs.existsSync(path.join(folder, "card.json"))) throw new Error(`the page has made no source of ${card} yet`);
  return folder;
}

/** Text in which nothing is left that differs from machine to machine and from run to run. */
export function normalise(text: string, { home }: World): string {
  return (
    text
      .replaceAll(home, "~")
      // Where a folder's path is used below another folder.
      .replaceAll(home.slice(1), "home/me")
      .replace(/drwn1-sha512-[\w-]{86}/gu, "drwn1-sha512-…")
      .replace(/ed25519:[\w-]{43}/gu, "ed25519:…")
      .replace(/sha512-[A-Za-z0-9+/]{86}==/gu, "sha512-…")
      .replace(/sha256-(?:[0-9a-f]{64}|[0-9a-f]{32})\b/gu, "sha256-…")
      .replace(/\b[0-9a-f]{64}\b/gu, "…")
      .replace(/"inode": ?"[^"]*"/gu, '"inode": "…"')
      .replace(/"\d+:\d+:\d+"/gu, '"…"')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/gu, "2026-01-31T12:00:00.000Z")
      // What `drwn log` shows of a call: the clock on the wall, and an id.
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gu, "2026-01-31 12:00:00")
      .replace(/ {2}[0-9a-f]{8}(?= {2}|$)/gmu, "  1f0c2a9b")
      .replace(/"(ms|durationMs|pid|at)": ?[\d.]+/gu, '"$1":1')
  );
}

function run(world: World, { program, words, input }: { program: string; words: string[]; input?: string }): Outcome {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd: world.project,
    env: environmentOf(world),
    encoding: "utf8",
    timeout: 60_000,
    ...(input === undefined ? {} : { input }),
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}
