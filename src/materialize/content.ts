import type { Manifest } from "../card/manifest.ts";
import { Problem } from "../kernel/problem.ts";
import type { Change } from "./changes.ts";
import type { InstalledCard } from "./installed-card.ts";
import { projectServersFile, projectSkillsFolder } from "./targets/claude-code-places.ts";
import { planServers } from "./targets/servers.ts";
import { planSkills } from "./targets/skills.ts";
import type { Written } from "./written.ts";

export interface Content {
  changes: Change[];
  skills: Written["skills"];
  servers: Written["servers"];
  /** Files that stay because somebody changed them after drwn wrote them. */
  kept: string[];
}

/** Skills and MCP servers of all installed cards, in Claude Code's places of the project. They need no consent. */
export function planContent(root: string, cards: readonly InstalledCard[], written: Written): Content {
  const skills = planSkills({
    folder: projectSkillsFolder(root),
    root,
    skills: collectSkills(cards),
    record: written.skills ?? undefined,
  });
  const servers = planServers({
    file: projectServersFile(root),
    root,
    servers: collectServers(cards),
    record: written.servers ?? undefined,
  });
  return {
    changes: [...skills.changes, ...servers.changes],
    skills: skills.record ?? null,
    servers: servers.record ?? null,
    kept: [...skills.kept, ...servers.kept],
  };
}

function collectSkills(cards: readonly InstalledCard[]): Map<string, Map<string, Buffer>> {
  const skills = new Map<string, Map<string, Buffer>>();
  const owners = new Map<string, string>();
  for (const { locked, manifest, files } of cards) {
    for (const skill of manifest.skills?.include ?? []) {
      refuseSecondOwner(owners, { what: "skill", name: skill, card: locked.name });
      const prefix = `skills/${skill}/`;
      const own = [...files].filter(([file]) => file.startsWith(prefix));
      skills.set(skill, new Map(own.map(([file, bytes]) => [file.slice(prefix.length), bytes])));
    }
  }
  return skills;
}

export function collectServers(cards: readonly InstalledCard[]): NonNullable<Manifest["servers"]> {
  const servers: NonNullable<Manifest["servers"]> = {};
  const owners = new Map<string, string>();
  for (const { locked, manifest } of cards) {
    for (const [name, server] of Object.entries(manifest.servers ?? {})) {
      refuseSecondOwner(owners, { what: "MCP server", name, card: locked.name });
      servers[name] = server;
    }
  }
  return servers;
}

function refuseSecondOwner(
  owners: Map<string, string>,
  { what, name, card }: { what: string; name: string; card: string },
): void {
  const owner = owners.get(name);
  if (owner !== undefined) {
    throw new Problem("DRWN_TARGET_OCCUPIED", `${owner} and ${card} both bring the ${what} \`${name}\``, {
      hint: `drwn remove ${card}`,
    });
  }
  owners.set(name, card);
}
