import { makePackageJson } from "../../card/archive/package-json.ts";
import type { PackedCard } from "../../card/source/pack.ts";
import { compareVersions, isPrerelease, minorOf } from "../../card/version.ts";
import { trace } from "../../kernel/trace.ts";
import { describeFailure } from "../http/failures.ts";
import { makeOriginAgent } from "../http/origin-agent.ts";

interface Destination {
  base: string;
  options: Readonly<Record<string, unknown>>;
  /** Versions that are published already. */
  published: readonly string[];
}

const DEADLINE_MS = 300_000;

/** Publishes a card to an npm registry, as `npm publish` would. */
export async function uploadCard(card: PackedCard, { base, options, published }: Destination): Promise<void> {
  const { default: npm } = await import("libnpmpublish");
  const [scope = ""] = card.manifest.name.split("/");
  const manifest = JSON.parse(makePackageJson(card.manifest, card.index.hooks));
  const described = { ...manifest, drwn: { ...manifest.drwn, tree: card.tree, publisher: card.publisher } };
  const { provenance: _, provenanceFile: __, ...kept } = options;
  trace("ask", () => `PUT ${new URL(card.manifest.name, base)}: ${card.tarball.length} bytes`);
  try {
    await npm.publish(described, card.tarball, {
      ...kept,
      registry: base,
      [`${scope}:registry`]: base,
      defaultTag: tagFor(card.manifest.version, published),
      agent: await makeOriginAgent(base, options),
      signal: AbortSignal.timeout(DEADLINE_MS),
      retry: { retries: 0 },
    });
  } catch (error) {
    throw describeFailure(new URL(card.manifest.name.replace("/", "%2f"), base), error);
  }
}

/** `latest` is the highest release and never goes back; people can still get other versions by their number. */
function tagFor(version: string, published: readonly string[]): string {
  if (published.length === 0) return "latest";
  if (isPrerelease(version)) return "next";
  const isHighest = published.every((known) => isPrerelease(known) || compareVersions(known, version) < 0);
  return isHighest ? "latest" : `release-${minorOf(version)}`;
}
