import fs from "node:fs";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { type FoundProject, findEnclosing } from "./find-enclosing.ts";
import { lookAtProject, type OpenProject } from "./open-project.ts";

/** A project that the launcher knows. */
export interface MarkedProject extends FoundProject {
  /** null: nobody can tell what it asks for; its consents count all the same. */
  project: OpenProject | null;
}

/** The projects beside this one whose consents also count in the working folder, the nearest first. */
export function enclosingProjects(host: Host, { key, isGlobal }: OpenProject): MarkedProject[] {
  if (isGlobal) return [];
  const { scope: _, ...own } = host;
  const found = findEnclosing(host.drwnHome, fs.realpathSync(host.cwd)).filter((one) => one.key !== key);
  const distinct = found.filter((one, at) => found.findIndex((other) => other.key === one.key) === at);
  return distinct.map((one) => ({ ...one, project: openIfSound({ ...own, cwd: one.folder }, one.key) }));
}

function openIfSound(host: Host, key: string): OpenProject | null {
  try {
    const project = lookAtProject(host);
    return project.key === key ? project : null;
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}
