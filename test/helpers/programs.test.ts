import { expect, test } from "vitest";
import { programCallOf } from "../../src/helpers/programs/call.ts";
import { rowOf } from "../../src/helpers/programs/rows.ts";
import { TABLE } from "../../src/helpers/programs/table.ts";

const LINES = TABLE.split("\n").filter((line) => line !== "");
const NAMES =
  /^[A-Za-z\d][\w.-]*(?:(?:, [A-Za-z\d][\w.-]*)*|(?: [A-Za-z\d][\w.-]*)+)(?: \((?:service|manager|cluster|containers|data|disk|backup|local|net|files|build|shell|process|vcs|plain)\))?$/;
const OPTION = /^(?:@|\$\w+[@&]|--?[\w.-]+(?:[@<>!%*?~.])?)$/;
const PHRASE =
  /^(?:destroys|publishes|deploys|applies|reveals|disables|unguards|opens|serves|escalates|runs|sends|fetches|keeps) \S[^|]*$/;

function namesOf(line: string): string[] {
  return (line.split(/ [(|]/)[0] ?? "").split(", ");
}

function read(text: string) {
  const words = text.split(" ");
  const environment = new Map<string, string>();
  while (/^\w+=/.test(words[0] ?? "")) {
    const [name = "", value = ""] = (words.shift() ?? "").split("=");
    environment.set(name, value);
  }
  const [program = "", ...given] = words;
  return programCallOf({ program, arguments: given, environment, feeders: [] });
}

test("each line has the form that the table describes", () => {
  const odd = LINES.filter((line) => {
    const [head = "", options = "", ...classes] = line.split(/ *\| */);
    const isPlain = options.split(" ").every((one) => one === "" || OPTION.test(one));
    return !NAMES.test(head) || !isPlain || !classes.every((one) => PHRASE.test(one));
  });
  expect(odd).toEqual([]);
});

test("the table has at least 250 programs, each in one line", () => {
  const names = LINES.flatMap((line) => namesOf(line).filter((name) => !name.includes(" ")));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(names.length).toBeGreaterThan(250);
});

test("each name is found in its own line, and each subcommand in its", () => {
  const lost = LINES.flatMap((line) => {
    const kind = /\((\w+)\)/.exec(line)?.[1];
    const options = (line.split(/ *\| */)[1] ?? "").split(" ").filter((one) => /^-[\w-]+$/.test(one));
    return namesOf(line).filter((key) => {
      const row = rowOf(key);
      return row?.kind !== kind || !options.every((one) => row?.values.has(one.replace(/^--|^-(?=.$)/, "")));
    });
  });
  expect(lost).toEqual([]);
  expect(["", "push", "docker podman", "nobody-knows", "a b"].map(rowOf)).toEqual(Array(5).fill(undefined));
});

test.each([
  ["docker compose -p shop down -v", "compose down"],
  ["docker-compose --profile dev down", "compose down"],
  ["docker --context prod compose --env-file f down --volumes", "compose down"],
  ["kubectl --context x -n y delete ns z", "delete ns z"],
  ["k3s kubectl delete ns z", "delete ns z"],
  ["git -C sub --git-dir x reset --hard", "reset"],
  ["npm --prefix packages/a publish", "publish"],
  ["terraform -chdir=infra destroy", "destroy"],
  ["terraform -chdir infra destroy", "destroy"],
  ["php artisan migrate:fresh --env testing", "migrate:fresh"],
  ["python3 -m twine upload -r testpypi dist/a", "upload dist/a"],
  ["aws --region eu s3 rb s3://b", "s3 rb s3://b"],
])("%s says %s", (text, words) => expect(read(text).words.join(" ")).toBe(words));

test.each([
  ["docker compose -p shop down -v", "destroys"],
  ["docker compose --profile dev down --volumes", "destroys"],
  ["docker compose rm -fsv db", "destroys"],
  ["docker volume rm data", "destroys"],
  ["aws --cli-new-option 0 s3 rb s3://b", "destroys"],
  ["kubectl scale deploy/a --replicas 0", "applies"],
  ["kubectl delete pod --all", "destroys"],
  ["terraform apply -destroy", "destroys"],
  ["helm --kube-context prod uninstall a", "destroys"],
  ["cargo --config a.b=c publish", "publishes"],
  ["mvn -f x clean deploy", "publishes"],
  ["gradle :a:publish", "publishes"],
  ["vercel --prod", "deploys"],
] as const)("%s %s something", (text, act) => expect(read(text).does(act)).toEqual({ isCertain: true }));

test.each([
  ["docker compose -p shop down", "destroys"],
  ["docker compose run web rm -v x", "destroys"],
  ["kubectl delete pod a", "destroys"],
  ["kubectl get pods", "destroys"],
  ["aws dynamodb delete-item --table-name t", "destroys"],
  ["gradle publishToMavenLocal", "publishes"],
  ["vercel env pull --prod", "deploys"],
  ["unheard-of delete all", "destroys"],
] as const)("%s %s nothing", (text, act) => expect(read(text).does(act)).toBeUndefined());

test.each([
  ["git push -n -f", true],
  ["git commit -n -m x", false],
  ["git reset --hard --help", true],
  ["git help reset", true],
  ["npm publish --dry-run", true],
  ["npm publish --dry-run=false", false],
  ["kubectl delete ns x --dry-run=client", true],
  ["kubectl delete ns x --dry-run=none", false],
  ["aws ec2 terminate-instances help", true],
  ["mkfs.ext4 -n /dev/sdb", true],
  ["lvremove --test vg/lv", true],
  ["psql -h help -c x", false],
  ["unheard-of delete --help", true],
])("whether %s only looks: %s", (text, only) => expect(read(text).onlyLooks).toBe(only));

test.each([
  ["npm publish --registry http://localhost:4873", "http://localhost:4873"],
  ["npm_config_registry=http://x npm publish", "http://x"],
  ["kubectl --context prod delete ns a", "prod"],
  ["KUBECONFIG=~/.kube/prod kubectl apply", "~/.kube/prod"],
  ["aws --endpoint-url=http://l s3 rb s3://b", "http://l"],
  ["docker push localhost:5000/a", "localhost:5000/a"],
])("%s acts at %s", (text, place) => expect(read(text).where).toContain(place));

test.each([
  ["cf delete a -f", true],
  ["docker compose -f x down", false],
  ["prisma db push --accept-data-loss", true],
  ["terraform apply -auto-approve", true],
  ["rails db:drop", false],
])("whether %s answers its own question: %s", (text, forced) => expect(read(text).isForced).toBe(forced));

test("a row says what the value of an option is", () => {
  expect(rowOf("docker run")?.values.get("entrypoint")).toBe("command");
  expect(rowOf("kubectl")?.values.get("token")).toBe("secret");
});
