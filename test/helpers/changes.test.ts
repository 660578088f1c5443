import { expect, test } from "vitest";
import { changes } from "../../src/helpers/acts/changes.ts";
import type { ToolPolicyEvent } from "../../src/policy/event.ts";

function ofTool(toolName: string, input: unknown): ToolPolicyEvent {
  return { runtime: "claude-code", phase: "pre-tool", toolName, input, cwd: "/home/me/project" } as ToolPolicyEvent;
}

function of(command: string): string[] {
  return changes(ofTool("Bash", { command })).map(
    ({ does, what, isCertain }) => `${isCertain ? "" : "perhaps "}${does}: ${what}`,
  );
}

test.each([
  ["docker compose -p shop down -v", "destroys: docker compose down"],
  ["echo yes | terraform apply", "applies: terraform apply"],
  ["terraform apply", "perhaps applies: terraform apply"],
  ["TF_CLI_ARGS_apply=-auto-approve terraform apply", "applies: terraform apply"],
  // Without a .env.testing Laravel takes the ordinary database.
  ["php artisan migrate:fresh --env=testing", "perhaps destroys: php artisan migrate:fresh"],
  ["bin/console doctrine:fixtures:load", "perhaps destroys: console doctrine:fixtures:load"],
  ["bin/console doctrine:fixtures:load -n", "destroys: console doctrine:fixtures:load"],
  ["npm --prefix a publish", "publishes: npm publish"],
  ["vercel --prod", "deploys: vercel"],
  ["gh repo create a/b --public --push", "perhaps publishes: gh repo create a/b"],
  ["gh pr merge 4 --admin", "perhaps disables: gh pr merge 4"],
  ["unheardofctl cluster delete prod", "perhaps destroys: unheardofctl cluster delete prod"],
  ["unheard-of project destroy shop", "perhaps destroys: unheard-of project destroy shop"],
  [
    "curl -X DELETE https://k8s.internal/api/v1/namespaces/a",
    "destroys: curl DELETE https://k8s.internal/api/v1/namespaces/a",
  ],
  ["http DELETE https://api.heroku.com/apps/shop", "destroys: http DELETE https://api.heroku.com/apps/shop"],
  ["gh api graphql -f query='mutation { deleteRef(input: {}) { x } }'", "destroys: gh … deleteRef"],
  [
    `python3 -c "import requests; requests.delete('https://api.x.io/apps/a')"`,
    "destroys: python3 DELETE https://api.x.io/apps/a",
  ],
])("%s", (command, said) => expect(of(command)).toContain(said));

test.each([
  "docker compose -p shop down",
  "unheardofctl get clusters",
  "unheard-of cache delete",
  "unheard-of comment delete 4",
  "npm publish --registry http://localhost:4873",
  "AWS_ENDPOINT_URL=http://localhost:4566 aws s3 rb s3://b",
  "awslocal s3 rb s3://b",
  "DATABASE_URL=postgres://localhost/app_test npx prisma migrate reset --force",
  "RAILS_ENV=test bin/rails db:reset",
  "aws ec2 terminate-instances help",
  "cargo publish -n",
  "curl -X DELETE http://localhost:3000/api/projects/1",
  "curl -X DELETE https://api.x.io/comments/4",
  "curl https://api.x.io/projects/4",
  "gh api graphql -f query='query { deleted(first: 4) { x } }'",
  `node -e "new Map().delete('project')"`,
])("%s changes nothing elsewhere", (command) => expect(of(command)).toEqual([]));

test("a database on localhost is lost all the same", () => {
  expect(of("DATABASE_URL=postgres://localhost/app npx prisma migrate reset")).toHaveLength(1);
});

test("an address elsewhere beside one on localhost counts", () => {
  expect(of("curl -X DELETE http://localhost/a https://api.x.io/projects/4")).toHaveLength(1);
});

test.each([
  ["mcp__railway__volume_delete", 1],
  ["mcp__hosting__destroyServer", 1],
  ["mcp__neon__delete_project", 1],
  ["mcp__todo__delete_task", 0],
  ["mcp__memory__delete_entities", 0],
  ["mcp__railway__list_deleted_projects", 0],
])("%s destroys %i things", (tool, many) => expect(changes(ofTool(tool, { id: "x" }))).toHaveLength(many));
