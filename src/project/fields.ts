import { CARD_NAME_FORM, isCardName } from "../card/name.ts";
import { isRange, isVersion } from "../card/version.ts";
import { z } from "../format/schema.ts";

/** Fields that several files of a project have. */
export const cardNameField = z.string().refine((text): boolean => isCardName(text), { error: CARD_NAME_FORM });
export const rangeField = z.string().refine(isRange, { error: "a semver range like ^1.2.0, ~1.2.0, 1.x or 1.2.3" });
export const versionField = z.string().refine(isVersion, { error: "strict semver without build metadata, like 1.0.0" });
