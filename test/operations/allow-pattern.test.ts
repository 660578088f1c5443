import { describe, expect, test } from "vitest";
import { matchesWords, plainWords } from "../../src/contract/exceptions.ts";
import { reachOf } from "../../src/operations/diagnose/allow-pattern.ts";
import { problemOf, textOf } from "../support/problems.ts";

const covers = (like: string, command: string): boolean => matchesWords(like.split(" "), plainWords(command) ?? []);

/** What an agent can put where a person wrote a star, and what some program makes of it. */
const MORE_THAN_A_WORD = [
  "'docs;reboot'",
  "'docs|sh'",
  "'docs&reboot'",
  "'docs\nreboot'",
  "'docs`reboot`'",
  "'docs$(reboot)'",
  `'docs$${"{IFS}"}x'`,
  "'docs>/etc/x'",
  "'docs</etc/x'",
  "'docs(x)'",
  "'docs#x'",
  "'docs!x'",
  "'docs{a,b}'",
  "'docs*'",
  "'docs?'",
  "'docs[a]'",
  "'docs\\x'",
  "'docs x'",
  "'docs\tx'",
  '"docs\'x"',
  "@.env",
  "docs@.env",
  "+main",
  "main:prod",
  ":main",
  "^main",
  "~root",
  "-f",
  "--force",
  "..",
  "../x",
  ".env",
  ".git",
  "a/b",
  "a=b",
  "a,b",
  "%x",
  "''",
];

describe("a star of a pattern", () => {
  test.each([
    "git push origin *",
    "curl -d * https://h.example/",
    "ssh build systemctl restart *",
    "docker exec web rm *",
    "rm -f build/*",
    "make *",
    "gh release create *",
  ])("in `%s` stands for one plain word", (like) => {
    expect(covers(like, like.replace("*", "docs"))).toBe(true);
    expect(covers(like, like.replace("*", "v1.2-rc_3"))).toBe(true);
    const through = MORE_THAN_A_WORD.filter((word) => covers(like, like.replace("*", word)));
    expect(through).toEqual([]);
  });

  test("with two stars also has folders, but neither hidden ones nor those above", () => {
    expect(
      ["a", "a/b", "a/b/c.d"].every((word) => covers("git push origin user/**", `git push origin user/${word}`)),
    ).toBe(true);
    const not = ["", "/a", "a/", "a//b", ".git/x", "a/.git", "../x", "a/../b", "a:b", "a/-x", "'a/b;c'", "'a b'"];
    expect(not.filter((word) => covers("git push origin user/**", `git push origin user/${word}`))).toEqual([]);
  });

  test("takes no time over a long word", () => {
    const begun = performance.now();
    expect(covers("rm a*a*a*a*a*b", `rm ${"a".repeat(20_000)}`)).toBe(false);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe("a pattern", () => {
  test.each<[string, string, string]>([
    ["ssh build make-*", "ssh build make-docs", "any program"],
    ["ssh build *", "ssh build reboot", "any program"],
    ["docker exec web sh -c *", "docker exec web sh -c ls", "any program"],
    ["docker exec web *", "docker exec web ls", "any program"],
    ["docker run img *", "docker run img ls", "any program"],
    ["kubectl exec pod -- *", "kubectl exec pod -- ls", "any program"],
    ["watch *", "watch ls", "any program"],
    ["su -c *", "su -c ls", "any program"],
    ["sudo *", "sudo ls", "any program"],
    ["env *", "env ls", "any program"],
    ["xargs *", "xargs ls", "any program"],
    ["timeout 5 *", "timeout 5 ls", "any program"],
    ["nohup *", "nohup ls", "any program"],
    ["npx *", "npx jest", "any program"],
    ["git bisect run *", "git bisect run ls", "any program"],
    ["git rebase --exec *", "git rebase --exec ls", "any program"],
    ["tmux send-keys -t a *", "tmux send-keys -t a ls", "any program"],
    ["sh -c *", "sh -c ls", "any program"],
    ["bash *", "bash x", "runs as code"],
    ["sudo bash *", "sudo bash x", "runs as code"],
    ["python3.12 *", "python3.12 x", "runs as code"],
    ["node -e *", "node -e x", "runs as code"],
    ["awk * f", "awk x f", "runs as code"],
    ["psql -c *", "psql -c x", "runs as code"],
    ["source *", "source x", "runs as code"],
    ["npm * jest", "npm test jest", "start another program"],
    ["docker * web ls", "docker start web ls", "start another program"],
    ["java -jar *", "java -jar x", "runs as code"],
    ["crontab *", "crontab x", "runs as code"],
    ["env LD_PRELOAD=* ls", "env LD_PRELOAD=x ls", "in a setting"],
    ["git -c core.hooksPath=** commit", "git -c core.hooksPath=x commit", "in a setting"],
    ["curl -K *", "curl -K x", "in a setting"],
    ["ssh -F * build", "ssh -F x build", "in a setting"],
    ["make -f * docs", "make -f x docs", "in a setting"],
    ["git *", "git push", "any subcommand"],
    ["docker * prune", "docker image prune", "any subcommand"],
    ["terraform * -auto-approve", "terraform apply -auto-approve", "any subcommand"],
    ["docker volume *", "docker volume prune", "any subcommand"],
    ["docker system * -f", "docker system prune -f", "any subcommand"],
    ["docker compose *", "docker compose down", "any subcommand"],
    ["docker compose -p shop *", "docker compose -p shop down", "any subcommand"],
    ["docker -H tcp://h:1 image *", "docker -H tcp://h:1 image prune", "any subcommand"],
    ["kubectl config *", "kubectl config unset", "any subcommand"],
    ["gh repo * me/x", "gh repo delete me/x", "any subcommand"],
    ["gh run *", "gh run list", "any subcommand"],
    ["gh run * 12", "gh run delete 12", "any subcommand"],
    ["aws s3 * s3://b", "aws s3 rb s3://b", "any subcommand"],
    ["aws logs * x", "aws logs describe-x x", "any subcommand"],
    ["gcloud run services * web", "gcloud run services delete web", "any subcommand"],
    ["az network vnet subnet * x", "az network vnet subnet delete x", "any subcommand"],
    ["git stash *", "git stash clear", "any subcommand"],
    ["git remote * origin", "git remote remove origin", "any subcommand"],
    ["git -C a *", "git -C a push", "any subcommand"],
    ["git pu*", "git push", "any subcommand"],
    ["git worktree * a", "git worktree remove a", "any subcommand"],
    ["npm config * x", "npm config delete x", "start another program"],
    ["helm repo *", "helm repo update", "any subcommand"],
    ["sudo git *", "sudo git push", "any subcommand"],
    ["sudo -n docker volume *", "sudo -n docker volume prune", "any subcommand"],
    ["timeout 5 git *", "timeout 5 git push", "any subcommand"],
    ["env A=1 kubectl * pods", "env A=1 kubectl delete pods", "any subcommand"],
    ["ssh build git *", "ssh build git push", "any subcommand"],
    ["docker exec web redis-cli *", "docker exec web redis-cli FLUSHALL", "any subcommand"],
    ["redis-cli *", "redis-cli FLUSHALL", "any subcommand"],
    ["yarn *", "yarn publish", "any program"],
    ["zfs * tank", "zfs destroy tank", "any subcommand"],
    ["service web *", "service web stop", "any subcommand"],
    ["vault secrets * kv", "vault secrets disable kv", "any subcommand"],
    ["unheard-of *", "unheard-of x", "any subcommand"],
    ["kubectl delete *", "kubectl delete pods", "any kind of resource"],
    ["kubectl delete * --all", "kubectl delete pods --all", "any kind of resource"],
    ["kubectl delete * web", "kubectl delete pod web", "any kind of resource"],
    ["kubectl delete -n prod *", "kubectl delete -n prod pods", "any kind of resource"],
    ["kubectl get *", "kubectl get secrets", "any kind of resource"],
    ["sudo kubectl -n prod delete * x", "sudo kubectl -n prod delete pod x", "any kind of resource"],
    ["kubectl rollout restart *", "kubectl rollout restart deployment", "any kind of resource"],
    ["sed -i * a", "sed -i e a", "says what"],
    ["sed -n * a", "sed -n p a", "says what"],
    ["sudo sed -i * a", "sudo sed -i e a", "says what"],
    ["sed -i -e * a", "sed -i -e e a", "says what"],
    ["sed -i -e s/a/b/ -e * a", "sed -i -e s/a/b/ -e e a", "says what"],
    ["sed -f * a", "sed -f x a", "says what"],
    ["chmod * a", "chmod 777 a", "says what"],
    ["chmod 7?? a", "chmod 777 a", "says what"],
    ["chown -R * a", "chown -R root a", "says what"],
    ["rsync -e * a b", "rsync -e x a b", "any program"],
    ["tar -xf a --to-command=*", "tar -xf a --to-command=x", "any program"],
    ["tar -xf a --to-command *", "tar -xf a --to-command x", "any program"],
    ["sort --compress-program=* a", "sort --compress-program=x a", "any program"],
    ["sudo make -f * docs", "sudo make -f x docs", "in a setting"],
    ["make SHELL=* docs", "make SHELL=x docs", "in a setting"],
    ["curl --config=* h", "curl --config=x h", "in a setting"],
    ["rm -*", "rm -f", "options that nobody has seen"],
    ["git push --*", "git push --tags", "options that nobody has seen"],
    ["git push --fo*=x", "git push --force=x", "options that nobody has seen"],
    ["git push origin *", "git push origin main; reboot", "more than that"],
    ["git push origin *", "git push origin +main", "doesn't cover"],
    ["* push", "git push", "isn't a pattern"],
  ])("`%s` for `%s` is refused: %s", async (like, command, says) => {
    const problem = await problemOf(async () => reachOf(like, command));
    expect([problem.code, textOf(problem)]).toEqual(["DRWN_EXCEPTION_INVALID", expect.stringContaining(says)]);
  });

  test.each<[string, string]>([
    ["git push --force origin user/*", "git push --force origin user/x"],
    ["npm test *", "npm test a"],
    ["npm run test:*", "npm run test:a"],
    ["docker logs *", "docker logs web"],
    ["docker volume rm *", "docker volume rm a"],
    ["docker compose logs *", "docker compose logs web"],
    ["git log *", "git log main"],
    ["git push * main", "git push origin main"],
    ["git stash drop *", "git stash drop a"],
    ["cargo test -- *", "cargo test -- a"],
    ["sudo git push origin *", "sudo git push origin a"],
    ["gh pr view *", "gh pr view 12"],
    ["gh run view *", "gh run view 12"],
    ["aws s3 rm s3://b/*", "aws s3 rm s3://b/a"],
    ["aws ec2 terminate-instances --instance-ids i-*", "aws ec2 terminate-instances --instance-ids i-1"],
    ["kubectl logs *", "kubectl logs web"],
    ["kubectl delete pod -n prod web-*", "kubectl delete pod -n prod web-1"],
    ["kubectl rollout restart deployment/web-*", "kubectl rollout restart deployment/web-1"],
    ["sed -i s/a/b/ src/*", "sed -i s/a/b/ src/a"],
    ["chmod +x scripts/*", "chmod +x scripts/a"],
    ["pytest tests/*", "pytest tests/a"],
    ["ssh build cat *", "ssh build cat a"],
    ["docker exec * ls", "docker exec web ls"],
    ["rm -rf build/*", "rm -rf build/a"],
    ["kill *", "kill 12"],
    ["make *", "make clean"],
    ["ssh build systemctl restart web-*", "ssh build systemctl restart web-1"],
    ["sudo systemctl restart *", "sudo systemctl restart web"],
    ["gh release create --title=* v1", "gh release create --title=x v1"],
    ["rm -rf build", "rm -rf build"],
    ["curl -o * https://h.example/", "curl -o x https://h.example/"],
    ["git -c color.ui=never push origin *", "git -c color.ui=never push origin x"],
    ["kubectl delete pod web-*", "kubectl delete pod web-1"],
  ])("`%s` says what it covers, and that is true", (like, command) => {
    const { covers: covered, leaves } = reachOf(like, command);
    expect(covered.length).toBeGreaterThan(0);
    expect(covered.filter((one) => !covers(like, one))).toEqual([]);
    expect(leaves.filter((one) => covers(like, one))).toEqual([]);
  });
});
