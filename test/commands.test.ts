import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

interface Command {
  id: string;
  aliases: string[];
  hidden?: boolean;
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

/**
 * `card trust <name> --hooks! --range= -y,--yes`: `!` is required, `=` takes a value, `…` may be given again. A command that is
 * on no page of the help is in brackets.
 */
function signatureOf({ id, args, flags, strict, aliases, hidden }: Command): string {
  const words = Object.entries(args).map(([name, { required }]) => (required ? `<${name}>` : `[${name}]`));
  const named = Object.entries(flags)
    .filter(([name]) => name !== "json" && name !== "verbose")
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, flag]) => flagOf(name, flag));
  const also = aliases.length === 0 ? [] : [`(also ${aliases.map(typed).join(", ")})`];
  return [hidden ? `[${typed(id)}]` : typed(id), ...words, ...(strict ? [] : ["…"]), ...named, ...also].join(" ");
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
      "add <spec> … -g,--global --system --trust -y,--yes (also card add)",
      "allow [id] --always --for= -g,--global --like= --list --once --reason= --remove= --until-session-ends",
      "card deprecate <spec> [message] --undo",
      "card new <name> --from= --into=",
      "[card pack] [source] --key= --no-sign",
      "card publish [source] --dry-run --key= --no-sign --registry=",
      "[card set] <name> [setting] … --reset=…",
      "card show [spec] --accept-fewer --source",
      "card source add <kind> <card> <name> … --command= --dry-run --url=",
      "card source add-hook <card> <hook> --dry-run --template=hook|gate|self-protection",
      "card source doctor [card]",
      "card source import <card> <file> --dry-run --from=arawn|astrid|claude|codex|hooker|polytoken",
      "card source remove <kind> <card> <name> --dry-run --keep-files",
      "card source remove-hook <card> <hook> --dry-run --keep-files",
      "card source set <card> --author= --capability=… --description= --dry-run --keyword=… --license= --repository= --[no-]restrict-only --stability=experimental|stable|production --version=",
      "[card source use] [folder]",
      "card test [card] --after --allow=env|exec|fs-read|fs-write|net|wasm… --event= --hook= --input= --junit= --last --mutate --run --runtime=arawn|astrid|claude-code|codex|copilot-cli|cursor|gemini-cli|kilo|mastra|opencode|pi|polytoken|qwen-code --sarif= --stack --tool= --watch",
      "card trust [name] … --all --all-hooks --ask-fallback=allow|allow-reversible|deny --diff --digest= --enforce --expires= -g,--global --hook=… --hooks --max-denied= --no-write --on-yank=keep|stand-down --range= --restrict-only --runtime=arawn|astrid|claude-code|codex|copilot-cli|cursor|gemini-cli|kilo|mastra|opencode|pi|polytoken|qwen-code|all… --set=… --shadow --system -y,--yes",
      "card untrust <name> -g,--global --hooks --system",
      "card yank <spec> --undo",
      "[completion] [shell] … --answer",
      "[config] [action] [key] [value]",
      "doctor -g,--global --hooker --strict --system (also check)",
      "explain [command] … --after --event= -g,--global --input= --on= --runtime=arawn|astrid|claude-code|codex|copilot-cli|cursor|gemini-cli|kilo|mastra|opencode|pi|polytoken|qwen-code --system --tool=",
      "[hook run] --dialect=arawn|astrid|hooker|polytoken --event= --root=",
      "init -y,--yes",
      "install --dry-run --frozen -g,--global --system --vendor (also card install)",
      "key list [scope] --secret",
      "key new <scope> --rotate",
      "key trust [key] [for] --dry-run --undo -y,--yes",
      "list -g,--global --system",
      "log --card= --check --expect= --failed -f,--follow -g,--global --inputs=show|keep|denied|off -n,--limit= --ndjson --on= --save-case= --since= --stats --system --tool= --verdict=allow|ask|deny --verify",
      "[outdated] --check -g,--global --system (also card outdated)",
      "pause --end -g,--global --minutes= --system",
      "registry add <name> [location] --scope=… --static",
      "registry list",
      "[registry remove] <name>",
      "remove <name> -g,--global --system (also card remove)",
      "replay [card] --against= --agent=arawn|astrid|claude-code|codex|copilot-cli|cursor|gemini-cli|kilo|mastra|opencode|pi|polytoken|qwen-code --all-projects --html= --limit= --max-denied= --project= --run --since=",
      "report --all-projects -g,--global --open --out= --project= --replay= --since=",
      "search [text] … --registry= (also card search)",
      "status --check -g,--global --system (also card status)",
      "trust [name] --[no-]adopt --diff --export -g,--global --list --log --no-write --system -y,--yes",
      "trust accept --trust-file= -y,--yes",
      "[trust request] <card> --range= --set=… --withdraw",
      "[trust settings] --[no-]ancestry --release-age= --[no-]terminal",
      "uninstall --dry-run -g,--global --purge --shared --system",
      "update [name] … --dry-run -g,--global -i,--interactive --latest --system (also card update)",
      "why [what] -g,--global --system (also card why)",
      "write --also=arawn|astrid|claude-code|codex|copilot-cli|cursor|gemini-cli|kilo|mastra|opencode|pi|polytoken|qwen-code… --check --dry-run -g,--global --[no-]mods --node= --[no-]project --runtime=arawn|astrid|claude-code|codex|copilot-cli|cursor|gemini-cli|kilo|mastra|opencode|pi|polytoken|qwen-code|all… --shared --strict --system",
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

  test("describes each argument and each flag, and takes --json and --verbose", () => {
    const parts = [...Object.entries(command.args), ...Object.entries(command.flags)];
    expect(parts.filter(([, { description }]) => (description ?? "") === "").map(([part]) => part)).toEqual([]);
    expect(Object.keys(command.flags)).toEqual(expect.arrayContaining(["json", "verbose"]));
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
