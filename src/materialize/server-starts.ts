import { findAdapter } from "../agents/adapters/calls.ts";
import { targetsOf } from "../agents/targets.ts";
import type { WritePlan } from "./plan-write.ts";

/** Whom an agent asks before it starts an MCP server of the project. */
export interface ServerStart {
  /** As people call the agent. */
  title: string;
  /** A clause about it. */
  how: string;
}

/** Of the agents of the project, as far as that is known. */
export function findServerStarts({ agents }: Pick<WritePlan, "agents">): ServerStart[] {
  return targetsOf(agents.map(({ runtime }) => runtime)).flatMap(({ runtime, startsServers: how }) => {
    const title = findAdapter(runtime)?.title;
    return title === undefined || how === undefined ? [] : [{ title, how }];
  });
}
