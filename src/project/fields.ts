import { CARD_NAME_FORM, isCardName } from "../card/name.ts";
import { isRequest } from "../card/request.ts";
import { isRange, isVersion } from "../card/version.ts";
import * as z from "../format/zod.ts";

/** Fields that several files of a project have. */
export const cardNameField = z.string().refine((text): boolean => isCardName(text), { error: CARD_NAME_FORM });
export const rangeField = z.string().refine(isRange, { error: "a semver range like ^1.2.0, ~1.2.0, 1.x or 1.2.3" });
export const requestField = z
  .string()
  .refine(isRequest, { error: "a semver range like ^1.2.0, or a source of a card" });
export const versionField = z.string().refine(isVersion, { error: "strict semver without build metadata, like 1.0.0" });
