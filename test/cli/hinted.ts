import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { splitWords } from "../docs/shell-words.ts";
import { type CliRun, runWords } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { CARD, GUARD, projectWith } from "../support/projects.ts";

const MOST_STEPS = 8;

/** What a person types, as the program runs it. */
export async function type(host: TestHost, line: string): Promise<CliRun> {
  const run = await runWords(host, splitWords(line).slice(1));
  if (run === undefined) throw new Error(`nothing is called: ${line}`);
  return run;
}

export async function succeed(host: TestHost, ...lines: string[]): Promise<void> {
  for (const line of lines) {
    const run = await type(host, `drwn ${line}`);
    expect([line, run.exitCode], run.stdout + run.stderr).toEqual([line, 0]);
  }
}

/** What a command says to run next, and what a refusal says would have worked. */
function stepsIn({ stdout, stderr }: CliRun): string[] {
  const said = `${stdout}\n${stderr}`.matchAll(
    /(?:Next: |^ *(?:hint|fix|next): (?:read what is above, then: )?|: run )(drwn .+)$/gmu,
  );
  return [...said].flatMap(([, line = ""]) => (line.includes("<") ? [] : [line.split(", or: ")[0] ?? ""]));
}

/** Types what each command says comes next, until none says anything more. Whatever is refused says what would not be. */
export async function follow(host: TestHost, first: CliRun): Promise<string[]> {
  const typed: string[] = [];
  for (let waiting = stepsIn(first); waiting.length > 0; ) {
    const [step = "", ...later] = waiting;
    expect(typed.length, typed.join("\n")).toBeLessThan(MOST_STEPS);
    typed.push(step);
    const run = await type(host, step);
    const next = stepsIn(run);
    if (run.exitCode !== 0) expect(next, `${step}\n${run.stdout}${run.stderr}`).not.toEqual([]);
    waiting = [...new Set([...next, ...later])];
  }
  return typed;
}

/** A project in which these guards are in force. */
export async function guarded(...cards: readonly (typeof GUARD)[]): Promise<TestHost> {
  const wanted = cards.length === 0 ? [GUARD] : cards;
  const host = await projectWith(...wanted);
  fs.mkdirSync(path.join(host.home, ".claude"), { recursive: true });
  await succeed(host, `add ${wanted.map(({ name = CARD }) => name).join(" ")} --trust --yes`);
  return host;
}
