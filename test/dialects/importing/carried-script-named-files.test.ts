import { expect, test } from "vitest";
import { filesNamedIn } from "../../../src/dialects/importing/carried-script.ts";

test.each<[text: string, files: string[]]>([
  ["./scripts/guard.sh", ["./scripts/guard.sh"]],
  ["test -x ~/bin/guard && ~/bin/guard", ["~/bin/guard"]],
  [`python3 "$CLAUDE_PROJECT_DIR/hooks/a.py" 2>/dev/null`, ["$CLAUDE_PROJECT_DIR/hooks/a.py"]],
  [`. "\${POLYTOKEN_PROJECT_DIR}/lib/common"`, ["$POLYTOKEN_PROJECT_DIR/lib/common"]],
  ["node check.mjs --strict", ["check.mjs"]],
  ["#!/usr/bin/env bash\ncat > /dev/null; /usr/bin/jq -r .tool", []],
  ["sed 's/a/b/g' | grep -E '^/etc/'; curl https://a.example/b", []],
  ['case "$(cat)" in *rm*) exit 2;; esac', []],
])("%j names the files %j", (text, files) => {
  expect(filesNamedIn(text)).toEqual(files);
});
