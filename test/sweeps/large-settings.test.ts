import { test } from "vitest";
import { expectLargeSettingsBack } from "../agents/large-settings.ts";
import { PLACES } from "../support/settings-places.ts";

test.each(PLACES.map((place) => [`${place.target.runtime}, ${place.kind}`, place] as const))(
  "settings of %s that are large are written, and given back byte for byte",
  (_, place) => expectLargeSettingsBack(place),
);
