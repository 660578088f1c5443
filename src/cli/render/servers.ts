import type { DescribedServer } from "../../card/describe-server.ts";
import { clean } from "../../kernel/text.ts";

/** `docs runs: npx docs-server`. */
export function describeServerRun({ name, runs }: DescribedServer): string {
  return `${clean(name)} runs: ${clean(runs, 2000)}`;
}

/** Everything that a server would be given, a line each. */
export function describeGiven({ env, headers, variables }: DescribedServer): string[] {
  const named = variables.map((name) => clean(name, 200)).join(", ");
  return [
    ...Object.entries(env).map(([name, value]) => `env ${clean(name)}: ${clean(value, 200)}`),
    ...Object.entries(headers).map(([name, value]) => `header ${clean(name)}: ${clean(value, 200)}`),
    ...(named === "" ? [] : [`of your environment: ${named}`]),
  ];
}
