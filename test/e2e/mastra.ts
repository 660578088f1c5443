import fs from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { startMockModel, type Turn } from "./mock-model.ts";
import { runToSuccess } from "./process.ts";
import type { Step } from "./wire-format.ts";
import type { World } from "./world.ts";

export interface MastraRun {
  /** What the model was told about each tool call, from the last request's history. */
  results: Turn["results"];
  /** Whether the run stopped until a person decided. */
  asked: boolean;
  /** The names of the tools that the app's own hooks were told about. */
  told: string[];
}

interface MastraRequest {
  steps: readonly Step[];
  /** What a person answers; without it the agent has no `requireToolApproval`. */
  approval?: "approve" | "decline";
  /**
   * `joined`: with the app's own hooks; `package`: the hooks of drwn's package, which find the project by themselves.
   */
  guards?: "all" | "joined" | "none" | "package";
  throughSubAgent?: boolean;
  /** When the first agent is done, another one has its turn, with the hooks and without `requireToolApproval`. */
  thenClerk?: boolean;
}

/** Runs one turn of an agent of the real Mastra, in an app in the project, against the scripted model. */
export async function runMastra(world: World, { steps, ...request }: MastraRequest): Promise<MastraRun> {
  const model = await startMockModel(steps);
  try {
    installApp(world);
    const { stdout } = await runToSuccess({
      program: inject("node22"),
      args: [world.at("app.mjs"), JSON.stringify({ url: model.url, ...request })],
      cwd: world.project,
      env: { ...world.env, MASTRA_TELEMETRY_DISABLED: "1" },
    });
    const said = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    return { results: model.seen().results, asked: said.asked, told: said.told };
  } finally {
    await model.close();
  }
}

/** The app, and the packages that it would have installed. */
function installApp(world: World): void {
  const modules = world.at("node_modules");
  if (fs.existsSync(modules)) return;
  fs.mkdirSync(modules);
  const installed = world.programs["mastra"] ?? inject("mastra");
  for (const name of ["@mastra", "zod"]) fs.symlinkSync(path.join(installed, name), path.join(modules, name));
  fs.symlinkSync(path.resolve(import.meta.dirname, "../.."), path.join(modules, "darwinian-minds"));
  fs.copyFileSync(path.join(import.meta.dirname, "mastra-app.mjs"), world.at("app.mjs"));
}

/** Each command in a separate call of the workspace's shell, then the end of the turn. */
export function workspaceShell(...commands: string[]): Step[] {
  return [
    ...commands.map((command) => ({ tool: "mastra_workspace_execute_command", input: { command } })),
    { text: "done" },
  ];
}
