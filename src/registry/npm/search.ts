import { CARD_KEYWORD } from "../../card/archive/package-json.ts";
import * as z from "../../format/zod.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Http } from "../http/http.ts";
import { parseAnswer } from "../http/parse-answer.ts";
import type { FoundCard } from "../registry.ts";
import { PACKUMENT_BYTES } from "./packument.ts";

const answerSchema = z.looseObject({ objects: z.array(z.looseObject({ package: z.looseObject({}) })) });

const foundSchema = z.looseObject({
  name: z.string(),
  // npm names the version; Verdaccio says what the tags mean.
  version: z.string().optional(),
  "dist-tags": z.looseObject({ latest: z.string().optional() }).default({}),
  description: z.string().default(""),
  keywords: z.array(z.string()),
});

/** The cards among the packages that the registry finds. */
export async function searchNpm(http: Http, base: string, text: string): Promise<FoundCard[]> {
  const from = `${base}-/v1/search`;
  const limits = { maximumBytes: PACKUMENT_BYTES };
  // Without a word a server would answer with any of its packages.
  const query = new URLSearchParams({ text: text.trim() === "" ? `keywords:${CARD_KEYWORD}` : text, size: "100" });
  const bytes = await http.get(`${from}?${query}`, { ...limits, accept: "application/json" });
  if (bytes === undefined) throw new Problem("DRWN_REGISTRY_UNABLE", `${base} cannot be searched`);
  return parseAnswer(bytes, answerSchema, { from, ...limits }).objects.flatMap((found): FoundCard[] => {
    const parsed = foundSchema.safeParse(found.package);
    if (!parsed.success || !parsed.data.keywords.includes(CARD_KEYWORD)) return [];
    const { name, description, version = parsed.data["dist-tags"].latest } = parsed.data;
    return version === undefined ? [] : [{ name, version, description }];
  });
}
