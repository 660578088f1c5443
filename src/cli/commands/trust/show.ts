import * as Args from "@oclif/core/args";
import type { Host } from "../../../kernel/host.ts";
import { clean } from "../../../kernel/text.ts";
import { showConsent } from "../../../operations/consents.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { describeHook } from "../../render/hook.ts";

export default class TrustShow extends DrwnCommand {
  static override description = `Show everything that is recorded of one consent in this project.

That is its terms, the facts that a later version must not exceed, and each content that was approved, on whose word.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> @me/backend --json",
  ];
  static override args = { name: Args.string({ description: "@scope/name", required: true }) };

  protected async answer(host: Host): Promise<Answer> {
    const { args } = await this.parse(TrustShow);
    const grant = showConsent(host, args.name);
    return {
      json: grant,
      print: ({ out, style }) => {
        out(style.bold(clean(grant.card)));
        out(`  range       ${clean(grant.range)}`);
        out(`  from        ${clean(grant.source)}`);
        out(`  publisher   ${grant.publisher === null ? "not signed" : clean(grant.publisher)}`);
        out(`  mode        ${grant.mode}, hooks: ${grant.hooks === null ? "all" : clean(grant.hooks.join(", "))}`);
        out(`  ask         where the agent cannot ask: ${grant.askFallback}`);
        out(`  yanked      ${grant.onYank}`);
        out(`  agents      ${grant.runtimes?.join(", ") ?? "all that are guarded"}`);
        out(`  granted     ${grant.grantedAt}${grant.expiresAt === null ? "" : `, until ${grant.expiresAt}`}`);
        if (grant.revokedAt !== null) out(style.warn(`  withdrawn   ${grant.revokedAt}`));
        for (const [name, facts] of Object.entries(grant.ceiling))
          out(`  allows      ${describeHook({ name, ...facts })}`);
        for (const { cardVersion, tree, by, at } of grant.approved) {
          out(`  approved    ${clean(cardVersion)} by ${by}, ${at}, ${clean(tree)}`);
        }
      },
    };
  }
}
