import { describe, expect, test } from "vitest";
import containers from "../../templates/cards/cloud/hooks/keep-containers/policy.ts";
import safety from "../../templates/cards/exec/hooks/keep-safety/policy.ts";
import code from "../../templates/cards/exec/hooks/known-code/policy.ts";
import inside from "../../templates/cards/files/hooks/stay-inside/policy.ts";
import published from "../../templates/cards/git/hooks/keep-published/policy.ts";
import secrets from "../../templates/cards/secrets/hooks/keep-secrets/policy.ts";

interface Asked {
  beforeToolCall?: (event: never) => unknown;
}

function actionOf({ beforeToolCall }: Asked, command: string, options: object, runtime = "claude-code"): string {
  const event = { runtime, toolName: "Bash", input: { command }, cwd: "/home/me/project", options };
  const decision = beforeToolCall?.(event as never) as { action: string } | undefined;
  return decision?.action ?? "allow";
}

describe("the options of the catalogue", () => {
  const git = { protect: ["main", "release/**"], force: ["user/*"] };
  test.each([
    ["a protected branch is asked about", published, "git push origin release/1/2", git, "ask"],
    ["under its whole name, too", published, "git push origin HEAD:refs/heads/main", git, "ask"],
    ["another one is let through", published, "git push origin master", git, "allow"],
    ["a branch of one's own may be forced", published, "git push --force origin user/x", git, "allow"],
    ["by its refspec, too", published, "git push origin +user/x", git, "allow"],
    ["but not with another one", published, "git push --force origin user/x feature", git, "deny"],
    ["a person is asked before it is deleted", published, "git push origin :user/x", git, "ask"],
    ["nor without its name", published, "git push --force", git, "deny"],
    ["nor by a name that only begins like it", published, "git push -f origin user/x:main", git, "deny"],
    ["one more place is asked about", inside, "cp a ~/notes/b", { only: [], ask: ["~/notes/**"] }, "ask"],
    ["which is free otherwise", inside, "cp a ~/notes/b", { only: [], ask: [] }, "allow"],
    ["only the named place is free", inside, "cp a ~/notes/b", { only: ["~/notes/**"], ask: [] }, "allow"],
    ["and no other one", inside, "cp a ~/other/b", { only: ["~/notes/**"], ask: [] }, "ask"],
    ["not by a way around", inside, "cp a ~/notes/../other/b", { only: ["~/notes/**"], ask: [] }, "ask"],
    ["one more file holds secrets", secrets, "cat vault/notes.txt", { more: ["vault/**"], except: [] }, "deny"],
    ["which is free otherwise", secrets, "cat vault/notes.txt", { more: [], except: [] }, "allow"],
    ["a named file holds none", secrets, "cat ci/.env", { more: [], except: ["ci/.env"] }, "allow"],
    ["and no other one", secrets, "cat ci/.env .env", { more: [], except: ["ci/.env"] }, "deny"],
    ["nor one of that name elsewhere", secrets, "cat ~/ci/.env", { more: [], except: ["ci/.env"] }, "deny"],
    ["every sudo is asked about", safety, "sudo -u postgres psql -c 'select 1'", { askSudo: true }, "ask"],
    ["which is free otherwise", safety, "sudo -u postgres psql -c 'select 1'", { askSudo: false }, "allow"],
    ["but what only lists rights", safety, "sudo -l", { askSudo: true }, "allow"],
    ["production is what is named", containers, "kubectl --context blue apply -f x", { production: ["blue"] }, "ask"],
    ["and nothing else", containers, "kubectl --context prod apply -f x", { production: ["blue"] }, "allow"],
  ])("%s", (_, policy, command, options, action) => {
    expect(actionOf(policy as Asked, command, options)).toBe(action);
  });
});

test.each([
  ['php artisan tinker --execute="dump(1);"', "allow"],
  ["php artisan tinker", "deny"],
])("what Codex types into %s later is seen: %s", (command, action) => {
  expect(actionOf(code, command, {}, "codex")).toBe(action);
});
