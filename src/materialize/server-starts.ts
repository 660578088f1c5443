import { findAdapter } from "../agents/adapters/calls.ts";
import { targetsOf } from "../agents/targets.ts";
import type { WritePlan } from "./plan-write.ts";

/** Whether an agent asks before it starts an MCP server of the project. */
export interface ServerStart {
  /** The name that people use for the agent. */
  title: string;
  /** A clause that describes it. */
  how: string;
}

/** For the project's agents, as far as drwn knows. */
export function findServerStarts({ agents }: Pick<WritePlan, "agents">): ServerStart[] {
  return targetsOf(agents.map(({ runtime }) => runtime)).flatMap(({ runtime, startsServers: how }) => {
    const title = findAdapter(runtime)?.title;
    return title === undefined || how === undefined ? [] : [{ title, how }];
  });
}
