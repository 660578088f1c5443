import { parseSpec, printSpec } from "../../card/spec.ts";
import { satisfies } from "../../card/version.ts";
import { layout } from "../../contract/layout.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { Problem } from "../../kernel/problem.ts";
import { noteListed } from "../../project/fetch/lock-card.ts";
import { openRegistryOf } from "../../project/fetch/registries.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import type { Annotation, PublishedVersion, Registry } from "../../registry/registry.ts";

export interface AnnotateResult {
  name: string;
  registry: string;
  /** Every version that the note is about, including those that had it before. */
  versions: string[];
  note: Annotation;
}

/** Says that versions should not be used any more, and why; null takes that back. Without a range: all of them. */
export async function deprecateCard(host: Host, spec: string, deprecated: string | null): Promise<AnnotateResult> {
  return annotate(host, spec, { deprecated });
}

/** Keeps versions from everybody who hasn't locked them. The spec has to name them. */
export async function yankCard(host: Host, spec: string, yanked: boolean): Promise<AnnotateResult> {
  const { name, range } = parseSpec(spec);
  const [verb, undo] = yanked ? ["yank", ""] : ["unyank", " --undo"];
  if (range === null) {
    throw new Problem("DRWN_SPEC_INVALID", `\`${name}\` does not say which versions`, {
      hint: `drwn card yank ${name}@<version>${undo}`,
    });
  }
  // Even if nobody has consented yet: a later consent would depend on what is offered then.
  requirePerson(host, `${verb} versions of ${name}`, `drwn card yank ${spec}${undo}`);
  return annotate(host, spec, { yanked });
}

async function annotate(host: Host, spec: string, note: Annotation): Promise<AnnotateResult> {
  const { name, range } = parseSpec(spec);
  const registry = await openRegistryOf(host, name);
  const write = requireAnnotations(registry);
  return withLock(layout.lock(host.drwnHome, "registry"), async () => {
    const published = await registry.versions(name);
    const meant = published.filter(({ version }) => range === null || satisfies(version, range, { prerelease: true }));
    if (meant.length === 0) throw notFound(registry, printSpec({ name, range }), published);
    for (const { version } of meant) {
      host.progress(`noting ${name}@${version}`);
      await write(name, version, note);
    }
    // This tells projects on this machine at once.
    noteListed(host, await registry.versions(name));
    return { name, registry: registry.id, versions: meant.map(({ version }) => version), note };
  });
}

function requireAnnotations(registry: Registry): NonNullable<Registry["annotate"]> {
  if (registry.annotate !== undefined) return registry.annotate.bind(registry);
  throw new Problem("DRWN_REGISTRY_UNABLE", `${registry.id} has no place for deprecation and yanking`);
}

function notFound(registry: Registry, spec: string, published: readonly PublishedVersion[]): Problem {
  if (published.length === 0) return new Problem("DRWN_CARD_NOT_FOUND", `${registry.id} has no ${spec}`);
  return new Problem("DRWN_VERSION_NOT_FOUND", `${registry.id} has no version in ${spec}`, {
    details: [`it has: ${published.map(({ version }) => version).join(", ")}`],
  });
}
