import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { describeHook } from "../../../src/card/hooks/describe-hook.ts";
import { writeOptionTypes } from "../../../src/card/source/build-index.ts";
import { createSource } from "../../../src/card/source/create.ts";
import { addHook } from "../../../src/card/source/edit-source.ts";
import { readTree, temporaryFolder, writeTree } from "../../support/cards.ts";
import { someFacts } from "../../support/grants.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const tsc = path.join(root, "node_modules/typescript/bin/tsc");

/** Every line that the real compiler has to say about a folder; none when all is well. */
function typeCheck(folder: string, settings = "."): string[] {
  try {
    // An empty environment, and a folder of its own: nothing that is installed here is found.
    execFileSync(process.execPath, [tsc, "-p", settings], { cwd: folder, env: {}, encoding: "utf8", stdio: "pipe" });
    return [];
  } catch (error) {
    if (error instanceof Error && "stdout" in error && typeof error.stdout === "string") {
      return error.stdout.trim().split("\n");
    }
    throw error;
  }
}

function scaffold(...hooks: string[]): string {
  const dir = path.join(temporaryFolder(), "backend");
  createSource({ dir, name: "@me/backend" });
  for (const hook of hooks) addHook(dir, hook, {});
  return dir;
}

describe("a scaffolded source", () => {
  test("has its names in place of every placeholder", () => {
    const files = readTree(scaffold("audit-tool-calls"));
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        ".drwn/hook-policy.d.ts",
        ".drwn/node.d.ts",
        "README.md",
        "card.json",
        "hooks/audit-tool-calls/README.md",
        "hooks/audit-tool-calls/cases.jsonl",
        "hooks/audit-tool-calls/policy.ts",
        "tsconfig.json",
      ]),
    );
    expect(Object.entries(files).filter(([file, text]) => /__[A-Z]+__/u.test(file + text))).toEqual([]);
    expect(files["README.md"]).toContain("drwn add @me/backend");
    expect(files["hooks/audit-tool-calls/README.md"]).toMatch(/^# audit-tool-calls\n/u);
  });

  test("type-checks with plain tsc, offline and with nothing installed", () => {
    expect(typeCheck(scaffold())).toEqual([]);
    const dir = scaffold("one", "two");
    addHook(dir, "gate", { template: "gate" });
    expect(typeCheck(dir)).toEqual([]);
  });

  test("has an observer that compiles and loads", async () => {
    const files = Object.entries(readTree(scaffold("audit-tool-calls")));
    const { facts, inputs } = await describeHook({
      card: "@me/backend",
      files: new Map(files.map(([file, text]) => [file, Buffer.from(text)])),
      hook: "audit-tool-calls",
      capabilities: [],
    });
    expect(facts).toEqual({
      kind: "observer",
      matcher: null,
      phases: ["post-tool"],
      timeoutMs: 5000,
      capabilities: [],
    });
    expect(inputs).toEqual(["hooks/audit-tool-calls/policy.ts"]);
  });

  test("has a gate where one is asked for, which compiles and loads", async () => {
    const dir = scaffold();
    addHook(dir, "no-force-push", { template: "gate" });
    const files = readTree(dir);
    expect(files["hooks/no-force-push/README.md"]).toMatch(/^# no-force-push: denies /u);
    const { facts } = await describeHook({
      card: "@me/backend",
      files: new Map(Object.entries(files).map(([file, text]) => [file, Buffer.from(text)])),
      hook: "no-force-push",
      capabilities: [],
    });
    expect(facts).toMatchObject({ kind: "enforcement", matcher: "Bash", phases: ["pre-tool"], capabilities: [] });
  });

  test("type-checks what policies are made of: node modules, text, JSON, files of the card, each name of the SDK", () => {
    const dir = writeTree(scaffold("guard"), {
      "lib/words.ts": "export const words: readonly string[] = [];",
      "lib/words.json": "[]",
      "lib/words.txt": "",
      "hooks/guard/policy.ts": `
        import path, { join } from "node:path";
        import { defineToolPolicy, type Decision, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
        import { defineToolPolicy as second } from "darwinian/hook-policy";
        import { defineToolPolicy as third, type ToolPolicy } from "drwn/hook-policy";
        import { words } from "../../lib/words.ts";
        import list from "../../lib/words.json" with { type: "json" };
        import text from "../../lib/words.txt";
        import why from "./README.md";

        const decide = ({ toolName, input }: ToolPolicyEvent): Decision | undefined => {
          if (words.includes(toolName) || text.includes(why) || list.length > 9) return { action: "deny", reason: join("a", "b") };
          if (input === undefined) return { action: "ask", reason: path.sep };
          return process.env["CI"] === undefined ? undefined : { action: "allow", updatedInput: structuredClone(input) };
        };
        export const others: ToolPolicy[] = [second, third].map((define) => define({ policyKind: "observer" }));
        export default defineToolPolicy({ policyKind: "enforcement", timeoutMs: 10, beforeToolCall: async (event) => decide(event) });`,
    });
    expect(typeCheck(dir)).toEqual([]);
  });

  test("does not type-check with a kind, a decision or a field that does not exist, or with a deny without a reason", () => {
    const wrong: Record<string, [fields: string, code: string]> = {
      kind: [`policyKind: "guard"`, "TS2322"],
      decision: [`policyKind: "enforcement", beforeToolCall: () => ({ action: "block" })`, "TS2322"],
      deny: [`policyKind: "enforcement", beforeToolCall: () => ({ action: "deny" })`, "TS2322"],
      event: [`policyKind: "observer", afterToolCall: (event) => void event.tool`, "TS2339"],
      field: [`policyKind: "observer", timeout: 5`, "TS2561"],
    };
    const policies = Object.entries(wrong).map(([name, [fields]]) => [
      `hooks/${name}/policy.ts`,
      `import { defineToolPolicy } from "darwinian-minds/hook-policy";
        export default defineToolPolicy({ ${fields} });`,
    ]);
    const said = typeCheck(writeTree(scaffold(), Object.fromEntries(policies)));
    const faults = said.flatMap(
      (line) => /^hooks\/(\w+)\/policy\.ts\(2,\d+\): error (TS\d+)/u.exec(line)?.slice(1) ?? [],
    );
    expect(faults).toEqual(
      Object.entries(wrong)
        .map(([name, [, code]]) => [name, code])
        .sort()
        .flat(),
    );
  });
});

test("the types of options that doctor writes are those of card.json", () => {
  const dir = scaffold("guard");
  const description = "What it is. */";
  const options = {
    allow: { type: "globs", default: [], description },
    level: { type: "enum", values: ["ask", "deny"], default: "ask", description },
  } as const;
  const hook = { ...someFacts({ options }), name: "guard", files: [], digest: "" };
  writeOptionTypes(dir, { version: 1, hooks: [hook] });
  const policyWith = (line: string): string => `
    import { defineToolPolicy, type HookOptions } from "darwinian-minds/hook-policy";
    export default defineToolPolicy<HookOptions["guard"]>({
      policyKind: "enforcement",
      beforeToolCall({ options }) { ${line} },
    });`;
  writeTree(dir, { "hooks/guard/policy.ts": policyWith(`options.allow.includes("a"); options.level === "deny";`) });
  expect(typeCheck(dir)).toEqual([]);
  const wrong = [`options.allow = [];`, `options.level === "allow";`, `options.gone;`];
  writeTree(dir, { "hooks/guard/policy.ts": policyWith(wrong.join("\n")) });
  expect(typeCheck(dir).filter((line) => line.startsWith("hooks/"))).toHaveLength(wrong.length);
  expect(writeOptionTypes(dir, { version: 1, hooks: [] })).toMatchObject([{ action: "remove-option-types" }]);
});

test.each([
  [
    "darwinian-minds/hook-policy",
    "src/policy/index.ts",
    `
      AgentId Allow Ask CanonicalEvent CommonTool Decision Deny Hold HoldCode HookEvent HookInput HookInputs HookOptions HookOutcome
      HookableEvent LifecycleEvent LifecycleHook LogOnly OtherEvent Phase PolicyKind Proceed ToolInputs ToolPolicy ToolPolicyEvent
      defineHook defineToolPolicy inputOf`,
  ],
  [
    "darwinian-minds/hook-policy/helpers",
    "src/helpers/index.ts",
    `
      Classifier Code CodeCall ConstantName ContextFile EditedFile Effect Flow GitStep Inject MatchConstant On OptionShape Options
      OutsideChange PlaceKind PolicyParts ProgramCall PromptOn PromptParts Redirection ShellCommand Source Step Transform
      TransformModel WhenPrompt callsIn changes changesOf codeOf commands effects effectsOf fetches flows folderMeant gitSteps
      inputOfEdit inputTexts isForTests isInRunning isRemote kindOfPlace liesBelow literalsIn matchConstants matchesGlob mayStandFor mentions
      once oneOf oneOfAnyCase optionsOf policy programCallOf projectOf resolvePlace shellTextsOf steps stepsOf`,
  ],
])("the declarations that a source is given of %s are those of the SDK, name by name", (specifier, of, names) => {
  const index = path.join(root, of);
  const { types, values } = exportsOf(fs.readFileSync(index, "utf8"));
  expect([...types, ...values].sort()).toEqual(names.trim().split(/\s+/u));
  // Two generic functions are never known to be the same: their instances are.
  const instances: Record<string, string[]> = {
    defineHook: ["prompt.submit", "model.resolve", "other.X"].map((event) => `defineHook<"${event}">`),
    defineToolPolicy: ["defineToolPolicy", "defineToolPolicy<{ strict: boolean }>"],
    once: ["once<RegExp>"],
  };
  const compared = values.flatMap((name) => instances[name] ?? name);
  const dir = scaffold();
  // Node's own types come with the sources of the SDK that run programs.
  fs.rmSync(path.join(dir, ".drwn/node.d.ts"));
  const settings = {
    extends: "./tsconfig.json",
    compilerOptions: { types: [path.join(root, "node_modules/@types/node")] },
  };
  writeTree(dir, {
    "tsconfig.same.json": JSON.stringify({ ...settings, include: [".drwn/*.d.ts", "same.ts"] }),
    "same.ts": `
      import * as given from "${specifier}";
      import * as own from ${JSON.stringify(index)};
      // Two types are the same when a function that asks for the one cannot be told from a function that asks for the other.
      type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
      export const same: [${types.map((name) => `Same<given.${name}, own.${name}>`).join(", ")}] =
        [${Array(types.length).fill("true").join(", ")}];
      export const values: [${compared.map((name) => `Same<typeof given.${name}, typeof own.${name}>`).join(", ")}] =
        [${compared.map(() => "true").join(", ")}];
      export const names: Same<keyof typeof given, keyof typeof own> = true;`,
  });
  expect(typeCheck(dir, "tsconfig.same.json")).toEqual([]);
});

function exportsOf(index: string): { types: string[]; values: string[] } {
  const names = [...index.matchAll(/export( type)? \{([^}]*)\}/gu)].flatMap(([, kind = "", list = ""]) =>
    list.split(",").flatMap((name) => (name.trim() === "" ? [] : [(kind + name).replaceAll(/\s+/gu, " ").trim()])),
  );
  return {
    types: names.flatMap((name) => /^type (\w+)$/u.exec(name)?.[1] ?? []),
    values: names.filter((name) => !name.startsWith("type ")),
  };
}
