const THEIRS = { type: "command", command: "echo theirs" };

/** A document with hooks of others in it, laid out as `JSON.stringify` does with this indentation. */
function withHooks(
  indent: string | number,
  hooks: Record<string, unknown> = { PreToolUse: [{ hooks: [THEIRS] }] },
): string {
  return JSON.stringify({ model: "opus", hooks, permissions: { allow: ["Bash(ls:*)"], deny: [] } }, null, indent);
}

const crlf = (text: string) => text.replaceAll("\n", "\r\n");

/** Settings files as people and programs leave them, by what is special of each. Each is strict JSON, or blank. */
export const SETTINGS_FILES: Readonly<Record<string, string>> = {
  "an empty file": "",
  "a file of one line end": "\n",
  "a file of white space with CRLF": "  \r\n\t\r\n",
  "a byte order mark and nothing else": "\ufeff",
  "an empty object": "{}",
  "an empty object with a final newline": "{}\n",
  "an empty object with a space in it": "{ }\n",
  "an empty object on two lines": "{\n}\n",
  "an empty object on three lines": "{\n\n}\n",
  "an empty object on two lines with CRLF": "{\r\n}\r\n",
  "white space around an empty object": "\n\n  {}  \n\n",
  "a byte order mark": `\ufeff${withHooks(2)}\n`,
  "two spaces": `${withHooks(2)}\n`,
  "two spaces and no final newline": withHooks(2),
  "two spaces and many final newlines": `${withHooks(2)}\n\n\n`,
  "four spaces": `${withHooks(4)}\n`,
  "three spaces": `${withHooks(3)}\n`,
  tabs: `${withHooks("\t")}\n`,
  "tabs with CRLF": `${crlf(withHooks("\t"))}\r\n`,
  "CRLF without final newline": crlf(withHooks(2)),
  "CRLF in most lines and LF in some": `${crlf(withHooks(2)).replace("\r\n", "\n")}\r\n`,
  "no indentation": '{\n"model": "opus",\n"hooks": {}\n}\n',
  "one line without spaces": withHooks(""),
  "one line with spaces": '{"model": "opus", "hooks": {"PreToolUse": [{"hooks": []}]}}\n',
  "one line with padded braces": '{ "model": "opus", "hooks": { "PostToolUse": [ ] } }\n',
  "an indented document": '  {\n    "model": "opus"\n  }\n',
  "a brace on the line of the last member": '{\n  "model": "opus"}\n',
  "commas in front": '{ "model": "opus"\n, "theme": "dark"\n}\n',
  "members side by side": '{\n  "model": "opus", "theme": "dark"\n}\n',
  "trailing white space": '{  \n  "model": "opus"  ,\t\n  "theme": "dark" \n \n}  \n',
  "no hooks": '{\n  "model": "opus",\n  "env": { "A": "1" }\n}\n',
  "empty hooks": '{\n  "hooks": {}\n}\n',
  "empty hooks on two lines": '{\n  "hooks": {\n  }\n}\n',
  "empty hooks with white space": '{\n  "hooks": { \t }\n}\n',
  "an empty event": '{\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n',
  "an empty event with white space": '{\n  "hooks": {\n    "PreToolUse": [\n\n    ]\n  }\n}\n',
  "every event empty": '{"hooks": {"PreToolUse": [], "PostToolUse": [ ], "PostToolUseFailure": []}}',
  "hooks of others in every event of ours": withHooks(2, {
    PreToolUse: [{ matcher: "Bash", hooks: [THEIRS, THEIRS] }, { hooks: [THEIRS] }],
    PostToolUse: [{ matcher: "*", hooks: [THEIRS] }],
    PostToolUseFailure: [{ hooks: [THEIRS] }],
  }),
  "hooks of others in other events": withHooks(2, { Stop: [{ hooks: [THEIRS] }], SessionStart: [] }),
  "events that Claude Code does not know": withHooks(2, { "//": "a note", PreToolUSE: { odd: true }, Later: [1, "x"] }),
  "unknown fields in groups and handlers": withHooks(2, {
    PreToolUse: [{ "x-owner": "ops", hooks: [{ ...THEIRS, "x-id": 7, statusMessage: "…" }] }],
  }),
  "handlers of every type": withHooks(2, {
    PreToolUse: [
      {
        hooks: [
          { type: "http", url: "http://127.0.0.1:1/" },
          { type: "prompt", prompt: "ok?" },
        ],
      },
      {
        hooks: [
          { type: "mcp_tool", server: "s", tool: "t" },
          { type: "agent", prompt: "look" },
        ],
      },
    ],
  }),
  "hooks as the first member": '{\n  "hooks": {\n    "Stop": []\n  },\n  "model": "opus"\n}\n',
  "text beyond ASCII": '{\n  "naïve": "日本語 🦀 \\ud83e\\udd80",\n  "ключ": ["\\u0000", "\u2028"]\n}\n',
  "numbers that JavaScript would write otherwise":
    '{\n  "a": 1.0,\n  "b": 1E+2,\n  "c": 12345678901234567890,\n  "d": 0.10\n}\n',
  "escapes that JavaScript would write otherwise": '{\n  "a\\/b": "\\u0041\\/",\n  "hooks": {}\n}\n',
  "keys that are found in prototypes": '{\n  "constructor": 1,\n  "__proto__": { "x": 1 },\n  "toString": null\n}\n',
  "brackets and our words in strings": '{\n  "a": "}],{[",\n  "b": "\\"hooks\\": {}",\n  "c": "// no comment"\n}\n',
  "deep nesting elsewhere": `{\n  "deep": ${"[".repeat(60)}${"]".repeat(60)}\n}\n`,
};
