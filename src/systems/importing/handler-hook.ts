import type { HandlerFile } from "../../card/compiler/handler-file.ts";
import { CAPABILITY_OF } from "../../card/compiler/handler-module.ts";
import type { Capability } from "../../contract/plan.ts";
import { formatJson } from "../../format/write.ts";
import { sortedBy } from "../../kernel/order.ts";
import type { CarriedScript } from "./carried-script.ts";
import type { ImportedHook } from "./imported.ts";
import { escapeJson } from "./literal.ts";

interface HandlerHook {
  name: string;
  file: HandlerFile;
  script?: CarriedScript;
  /** One line that says what it was. */
  summary: string;
  /** Capabilities besides the one that its kind needs. */
  further?: readonly Capability[];
}

/** A card's hook that consists of a handler.json. */
export function handlerHook({ name, file, script, summary, further = [] }: HandlerHook): ImportedHook {
  return {
    name,
    files: {
      "handler.json": escapeJson(formatJson(file)),
      ...(script === undefined ? {} : { [script.name]: script.text }),
    },
    readme: `# ${name}: ${summary}\n`,
    capabilities: sortedBy(new Set([CAPABILITY_OF[file.handler.type], ...further]), (one) => one),
  };
}
