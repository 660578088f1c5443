import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean, plural } from "../../../kernel/text.ts";
import { listSources } from "../../../operations/author/inspect-source.ts";
import { listPublished, type ShownCard, showCard } from "../../../operations/author/show-card.ts";
import { acceptVersions } from "../../../operations/machine/registry-settings.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { warnOfDeprecation } from "../../render/card.ts";
import { renderPolicyCode } from "../../render/diff.ts";
import { describeGiven, describeIsolationGaps, describeServerRun, renderHook } from "../../render/hook.ts";
import { renderTable } from "../../render/table.ts";
import { type Console, EXIT } from "../../terminal/console.ts";

export default class CardShow extends DrwnCommand {
  static override completes = { spec: "published-card" } as const;
  static override description = `Show a published card: what is in it, and what its hooks are.

It compares the bytes with what their registry says about them, and the signature with the key that this machine knows. Runs
nothing in it; exits with 3 if \`drwn add\` would refuse it. Without a card, lists those in the default registry, with their versions, and the sources that this machine knows by name.

drwn remembers the highest version that a registry has listed, and refuses an older list. With --accept-fewer you accept it for this card,
when a version was unpublished and you know why.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> @me/backend@1.0.0",
    "<%= config.bin %> <%= command.id %> @me/backend --source",
    "<%= config.bin %> <%= command.id %> @team/guards --accept-fewer",
    "<%= config.bin %> <%= command.id %>",
  ];
  static override args = {
    spec: Args.string({
      description: "@scope/name, @scope/name@range, a git address, a tarball or a folder",
    }),
  };

  static override flags = {
    source: Flags.boolean({ default: false, description: "Print its files, too, each line cleaned." }),
    "accept-fewer": Flags.boolean({
      default: false,
      description: "Accept that its registry has fewer versions than it had. Only a person may.",
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(CardShow);
    if ((flags.source || flags["accept-fewer"]) && args.spec === undefined)
      this.error("--source and --accept-fewer are about one card");
    const accepted = flags["accept-fewer"] ? await acceptVersions(host, args.spec ?? "") : null;
    if (args.spec === undefined) return listCards(host);
    const shown = await showCard(host, args.spec, { isSourceShown: flags.source });
    return {
      json: shown,
      exitCode: shown.refusal === null ? EXIT.done : EXIT.found,
      print: (console) => {
        if (accepted !== null)
          console.out(`Accepted the versions of ${accepted.card} that ${accepted.registry} lists now`);
        warnOfDeprecation([shown], console);
        printCard(shown, console);
        for (const line of renderPolicyCode(shown.source ?? [], console.style)) console.out(line);
      },
    };
  }
}

async function listCards(host: Host): Promise<CommandAnswer> {
  const cards = await listPublished(host);
  const sources = listSources(host);
  return {
    json: { cards, sources },
    print: ({ out, talk, room }) => {
      if (cards.length === 0) talk("Nothing is published yet. Next: drwn card publish <source>");
      const rows = cards.map(({ name, latest, versions, yanked }) => [
        name,
        latest ?? "none",
        listVersions({ versions, yanked }),
      ]);
      for (const line of renderTable(["card", "latest", "versions"], rows, room)) out(line);
      const own = sources.map(({ name, version, path }) => [name, version ?? "unreadable", clean(path, 2_000)]);
      for (const line of own.length === 0 ? [] : ["", ...renderTable(["source", "version", "folder"], own, room)])
        out(line);
    },
  };
}

function listVersions({ versions, yanked }: Pick<ShownCard, "versions" | "yanked">): string {
  return versions.map((version) => (yanked.includes(version) ? `${version} (yanked)` : version)).join(", ");
}

function printCard(
  { name, version, versions, yanked, publishedAt, publishedBy, publisher, ...card }: ShownCard,
  { out, style }: Console,
): void {
  const { manifest, hooks, leftOut, servers, files, tree } = card;
  out(
    `${style.bold(`${clean(name)}@${version}`)}${yanked.includes(version) ? style.warn(", YANKED by its publisher") : ""}`,
  );
  if (manifest.description) out(`  ${clean(manifest.description)}`);
  const by = publishedBy === "agent" ? ", inside an agent's tool call" : "";
  out(`  published   ${publishedAt === null ? "not in a registry" : clean(publishedAt)}${by}`);
  out(`  publisher   ${publisher === null ? "not signed" : clean(publisher)}`);
  if (card.refusal !== null) out(style.bad(`  refused     ${clean(card.refusal)}`));
  out(`  versions    ${listVersions({ versions, yanked })}`);
  if (manifest.license) out(`  license     ${clean(manifest.license)}`);
  for (const hook of hooks) {
    out(`  hook        ${renderHook(hook)}${hook.summary === "" ? "" : ` “${clean(hook.summary, 120)}”`}`);
    for (const leak of describeIsolationGaps(hook.capabilities)) out(`              ${leak}`);
  }
  for (const { from, file, hooks: missed } of leftOut) {
    const of = `of ${clean(file, 300)} (${clean(from)})`;
    for (const { hook, why } of missed) out(`  left out    ${clean(hook, 300)} ${of}: ${clean(why, 1000)}`);
  }
  for (const skill of manifest.skills?.include ?? []) out(`  skill       ${clean(skill)}`);
  for (const server of servers) {
    out(`  MCP server  ${describeServerRun(server)}`);
    for (const line of describeGiven(server)) out(`              ${line}`);
  }
  out(
    `  contents    ${plural(files.length, "file")}, ${files.reduce((bytes, { size }) => bytes + size, 0)} bytes, ${clean(tree)}`,
  );
}
