import fc from "fast-check";
import { test } from "vitest";
import { timestampOf } from "../../../src/hook/journal/journal.ts";

test("an instant is written as ECMAScript writes it, in the years that clocks show", () => {
  const dates = fc.date({
    min: new Date("1970-01-01T00:00:00.000Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(fc.property(dates, (date) => timestampOf(date) === date.toISOString()));
});
