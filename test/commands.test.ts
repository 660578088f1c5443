import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

interface Command {
  id: string;
  aliases: string[];
  description?: string;
  examples?: string[];
  strict: boolean;
  args: Record<string, { required?: boolean; description?: string }>;
  flags: Record<string, Flag>;
}

interface Flag {
  type: "boolean" | "option";
  char?: string;
  allowNo?: boolean;
  required?: boolean;
  multiple?: boolean;
  options?: string[];
  description?: string;
}

const manifest = JSON.parse(fs.readFileSync(path.resolve(import.meta.dirname, "../oclif.manifest.json"), "utf8"));
const commands = Object.values<Command>(manifest.commands).sort((left, right) => (left.id < right.id ? -1 : 1));

/** `card trust <name> --hooks! --range= -y,--yes`: `!` is required, `=` takes a value, `…` may be given again. */
function signatureOf({ id, args, flags, strict, aliases }: Command): string {
  const words = Object.entries(args).map(([name, { required }]) => (required ? `<${name}>` : `[${name}]`));
  const named = Object.entries(flags)
    .filter(([name]) => name !== "json")
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, flag]) => flagOf(name, flag));
  const also = aliases.length === 0 ? [] : [`(also ${aliases.map(typed).join(", ")})`];
  return [typed(id), ...words, ...(strict ? [] : ["…"]), ...named, ...also].join(" ");
}

function flagOf(name: string, { type, char, allowNo, required, multiple, options }: Flag): string {
  const value = type === "option" ? `=${options?.join("|") ?? ""}` : "";
  const short = char === undefined ? "" : `-${char},`;
  return `${short}--${allowNo ? "[no-]" : ""}${name}${value}${multiple ? "…" : ""}${required ? "!" : ""}`;
}

function typed(id: string): string {
  return id.replaceAll(":", " ");
}

test("the command line is what it was: a difference here is one that users see", () => {
  expect(commands.map(signatureOf)).toMatchInlineSnapshot(`
    [
      "add <spec> … --trust -y,--yes (also card add)",
      "card deprecate <spec> <message>",
      "card diff <from> <to>",
      "card list",
      "card new <name> --into=",
      "card pack <source> --key=",
      "card publish <source> --dry-run --key= --registry=",
      "card show <spec>",
      "card source add-hook <card> <hook> --dry-run --template=hook|gate|self-protection",
      "card source add-mcp <card> <server> … --command= --dry-run --url=",
      "card source add-skill <card> <skill> --dry-run",
      "card source doctor <card>",
      "card source import <card> <file> --dry-run --from=arawn|astrid|claude|codex|hooker|polytoken",
      "card source list",
      "card source remove-hook <card> <hook> --dry-run --keep-files",
      "card source remove-mcp <card> <server> --dry-run",
      "card source remove-skill <card> <skill> --dry-run --keep-files",
      "card source set <card> --author= --capability=… --description= --dry-run --keyword=… --license= --repository= --[no-]restrict-only --stability=experimental|stable|production --version=",
      "card source show <card>",
      "card trust [name] … --all --all-hooks --ask-fallback=allow|deny --diff --digest= --enforce --expires= --hook=… --hooks! --on-yank=keep|stand-down --range= --restrict-only --runtime=arawn|astrid|claude-code|codex|copilot-cli|cursor|gemini-cli|mastra|opencode|polytoken|all… --shadow -y,--yes",
      "card undeprecate <spec>",
      "card untrust <name> --hooks!",
      "card unyank <spec>",
      "card verify <spec>",
      "card version <source> <step> --dry-run",
      "card yank <spec>",
      "doctor --live",
      "hook explain --after --event= --input= --on= --runtime=arawn|astrid|claude-code|codex|copilot-cli|cursor|gemini-cli|mastra|opencode|polytoken --tool=",
      "hook run --dialect=arawn|astrid|hooker|polytoken --event= --root=",
      "hooker doctor",
      "init",
      "install --frozen (also card install)",
      "key export <scope> --secret",
      "key forget <for> [key] --consents --dry-run -y,--yes",
      "key list",
      "key new <scope> --rotate",
      "key trust <key> <for> --consents",
      "list",
      "log --card= --failed -f,--follow --limit= --ndjson --on= --since= --tool= --verdict=allow|ask|deny",
      "log inputs [change] --dry-run",
      "log stats --card= --on= --since= --tool=",
      "log verify --expect=",
      "log why [id]",
      "outdated --check (also card outdated)",
      "pause --minutes=!",
      "registry accept <card>",
      "registry add <name> <location> --static",
      "registry list",
      "registry remove <name>",
      "registry set-scope <scope> <registry>",
      "remove <name> (also card remove)",
      "resume",
      "search <text> … --registry= (also card search)",
      "status (also card status)",
      "store path",
      "store prune --dry-run",
      "store verify",
      "trust accept --signed --trust-file= -y,--yes",
      "trust adopt --forget -y,--yes",
      "trust export --sign=",
      "trust list",
      "trust log [name]",
      "trust settings --[no-]ancestry --release-age= --[no-]terminal",
      "trust show <name>",
      "uninstall --dry-run --purge --shared",
      "update [name] … --dry-run --latest (also card update)",
      "vendor --dry-run",
      "why <card> (also card why)",
      "write --check --dry-run --[no-]project --runtime=arawn|astrid|claude-code|codex|copilot-cli|cursor|gemini-cli|mastra|opencode|polytoken… --shared --strict",
    ]
  `);
});

describe.each(commands.map((command) => [typed(command.id), command] as const))("%s", (_, command) => {
  test("says what it does, in sentences", () => {
    expect(command.description).toMatch(/^[A-Z][^\n]*\.(?:\n|$)/u);
  });

  test("has examples, all of them its own", () => {
    expect(command.examples).not.toEqual([]);
    for (const example of command.examples ?? []) {
      expect(example).toMatch(/^<%= config\.bin %> <%= command\.id %>(?: |$)/u);
      const [own = ""] = example.split(" -- ");
      const flags = [...own.matchAll(/ --(?:no-)?([a-z][a-z-]*)/gu)].map(([, flag]) => flag);
      expect(Object.keys(command.flags)).toEqual(expect.arrayContaining(flags));
    }
  });

  test("describes each argument and each flag, and takes --json", () => {
    const parts = [...Object.entries(command.args), ...Object.entries(command.flags)];
    expect(parts.filter(([, { description }]) => (description ?? "") === "").map(([part]) => part)).toEqual([]);
    expect(Object.keys(command.flags)).toContain("json");
  });
});

test("every name that may be typed leads to a file of the built program", () => {
  const names: Record<string, string> = JSON.parse(
    fs.readFileSync(path.resolve(import.meta.dirname, "../dist/cli/commands.json"), "utf8"),
  );
  const files = [...new Set(Object.values(names))].map((id) => `dist/cli/commands/${id.replaceAll(":", "/")}.cjs`);
  expect(files.filter((file) => !fs.existsSync(path.resolve(import.meta.dirname, "..", file)))).toEqual([]);
  expect(files).toHaveLength(commands.length);
});
