import { describe, expect, test } from "vitest";
import { armHome, type LiteralPolicy } from "../../support/armed-home.ts";
import { BAD_POLICIES, TIMEOUT_MS } from "../../support/bad-policies.ts";
import { FAILURE_CASES, runFailureCase, titleOf } from "../../support/failure-cases.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";

const goodDeny: LiteralPolicy = {
  hook: "good",
  card: "@you/good",
  policy: `{ beforeToolCall: () => ({ action: "deny", reason: "good deny" }) }`,
};

// Every eighth bad policy once before a call, and every twentieth as a lifecycle hook, walking through kinds and places; the whole product is
// in test/sweeps.
const chosen = [...BAD_POLICIES.keys()]
  .flatMap((at) => [
    ...(at % 8 === 0 ? [at * 8 + ((at / 8) % 8)] : []),
    ...(at % 20 === 0 ? [(BAD_POLICIES.length + at) * 8 + ((at / 20) % 8)] : []),
  ])
  .map((at) => FAILURE_CASES[at])
  .filter((one) => one !== undefined);

test.each(chosen.map((one) => [titleOf(one), one] as const))("%s", (_, one) => {
  const { got, expected } = runFailureCase(one);
  expect(got).toEqual(expected);
});

test("enough bad policies are tried", () => {
  expect(BAD_POLICIES.length).toBeGreaterThanOrEqual(60);
});

test("no policy is asked behind a deny, however bad it is", () => {
  const bad = BAD_POLICIES.map(([, literal], index): LiteralPolicy => ({ hook: `bad-${index}`, ...literal }));
  const armed = armHome([goodDeny, ...bad]);
  expect(reasonOf(armed.call())).toBe("[@you/good#good] good deny");
  expect(armed.journal()).toMatchObject([{ policies: [{ policy: "@you/good@1.2.3#good" }] }]);
});

test("every bad observer at once leaves a good deny alone, and the journal says of each what it did", () => {
  const isLate = (says: string) => says.endsWith(` ${TIMEOUT_MS} ms`);
  const bad = BAD_POLICIES.map(([, literal, says], index): LiteralPolicy => {
    return { hook: `bad-${index}`, kind: "observer", timeoutMs: isLate(says) ? 20 : 5_000, ...literal };
  });
  const armed = armHome([...bad, goodDeny]);
  expect(reasonOf(armed.call())).toBe("[@you/good#good] good deny");
  const [line] = armed.journal() as { verdict: string; policies: { failure?: string }[] }[];
  expect([line?.verdict, line?.policies.length]).toEqual(["deny", BAD_POLICIES.length + 1]);
  const untold = BAD_POLICIES.flatMap(([name, , says], at) => {
    const failure = line?.policies[at]?.failure ?? "nothing";
    return failure.includes(isLate(says) ? "did not finish within" : says) ? [] : [`${name}: ${failure}, not ${says}`];
  });
  expect(untold).toEqual([]);
});

describe("a death that JavaScript cannot intercept blocks, whoever caused it", () => {
  test.each(["enforcement", "observer"] as const)("out of memory (%s)", (kind) => {
    const policy = "{ beforeToolCall() { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); } }";
    const result = armHome([{ kind, timeoutMs: 30_000, policy }]).call();
    expect(verdictOf(result)).toBe("block");
    expect(result.stderr).toContain("drwn: the hook process died");
    expect(result.stdout).toBe("");
  });
});
