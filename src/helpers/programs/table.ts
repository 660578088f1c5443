/**
 * What guards know about programs, one line each. To add a program, add a line; `test/helpers/programs.test.ts` checks its form.
 *
 * `NAME, NAME (KIND) | OPTIONS | CLASS PHRASE, PHRASE | CLASS …`
 *
 * NAME: the program, and its other names. A subcommand with options of its own has a line, too: `docker compose`. Its
 * letters are used in place of those before it, its long options beside them.
 *
 * KIND says what its words delete or change: `service` (what runs elsewhere), `manager` (the same, but more often for trying out), `cluster`, `containers`, `data`,
 * `disk`, `backup`, `vcs` (work in a repository), `local` (programs and caches of this machine, which can be had again), `plain` (nothing).
 *
 * OPTIONS that take a value; the mark behind one says what the value is: `@` where it acts (an address, a context, an
 * account, a database), `<` a file that is read, `>` a file that is written, `!` a command, `%` code, `*` a secret.
 * `$NAME` is a variable of the environment that stands for an option; with `&` it holds more arguments. `@` alone: operands may say where it acts.
 * Of flags only these are listed: `?` with which the program only looks, `~` which answers its own safety question, `.`
 * which means neither (`-h`, `-n`, `-f` and `-y` have a usual meaning).
 *
 * CLASS: `destroys`, `applies` (changes infrastructure), `publishes`, `deploys`, `reveals`, `disables` (checks), `unguards` (a machine), `opens` (it to others), `serves` (a folder), `escalates` (gives all rights), `runs` (a file or a package), `sends` and `fetches` (files, from and to elsewhere), `keeps` (an exception to them). A PHRASE is the words of a call
 * from the first one: `a/b` are alternatives (a slash itself has a backslash), `*` stands for any one word or a part of one, `**` for any number of
 * words, `-x` and `--name` for options that have to be there (`--name=value`, one of `-x/--name`), `!--name` for those that must not.
 * `?` in front: it can be right, so a person is asked.
 */
export const TABLE = `
git, hub, yadm | -C -c -h. --receive-pack! --upload-pack! --extcmd! --open-files-in-pager! --git-dir --work-tree --namespace --exec-path --config-env --attr-source --super-prefix --list-cmds | reveals credential/credential-* fill/get | fetches archive --remote
svn (vcs) | -r -m -F< --depth --changelist --username --password* | destroys revert -R, revert --recursive, cleanup --remove-unversioned, cleanup --remove-ignored
hg, chg, sl, sapling (vcs) | -r -R -I -X -d -m -u -i? -n? -p? --rev --exclude --include --config --print? --interactive? | destroys up/update/co/checkout/goto -C, up/update/co/checkout/goto --clean, revert -a, revert --all, purge/strip/clean
jj (vcs) | -r -R -m -s -d -A -B -f -t -b --revision --revisions --message --from --to --into --config --config-file< --repository --bookmark | destroys op/operation abandon, util gc, ?abandon, ?restore, ?git push --deleted, ?git push --delete
fossil (vcs) | -R -m -M< -r --comment --user --ignore --keep | destroys revert, purge, clean --force, clean -f, clean --verily, clean -x
brz, bzr, cvs, darcs, p4 (vcs) | -r -m -c -p -u -d | destroys revert -a, revert //..., clean-tree --force, obliterate, clean, update/up -C, ?revert
git push | -o -n? --push-option --repo@ --exec! --recurse-submodules
git clean | -e -n? --exclude
git reset | --pathspec-from-file<
git co | -b -B -c -C --orphan --pathspec-from-file< --conflict
git checkout | -b -B -c -C --orphan --pathspec-from-file< --conflict
git switch | -c -C --create --force-create --orphan --conflict
git restore | -s --source --pathspec-from-file<
git commit | -m -F< -C -c -t< -n. --message --file< --author --date --template< --trailer --fixup
git stash | -m --message
git branch | -u --set-upstream-to --contains --merged --no-merged --sort --format
git rebase | -x! -s -X --exec! --onto --strategy
git clone | -b -c -j -o -u! --branch --config --depth --jobs --origin --reference
git difftool | -x!
git prune | -n? --expire
git reflog | -n? --expire --expire-unreachable
git add | -n? --chmod --pathspec-from-file<
git rm | -n? --pathspec-from-file<
docker, podman, nerdctl (containers) | -H@ -c@ -l -h. --host@ --context@ --connection@ --url@ --config --log-level --tlscacert< --tlscert< --tlskey< $DOCKER_HOST@ $DOCKER_CONTEXT@ | destroys system prune, volume rm/remove/prune, stack/service/secret/config/node rm/remove, swarm leave --force, system reset, image prune --all, image prune -a, rm/rmi --all, rm/rmi -a, container rm --volumes, container rm -v, rm --volumes, rm -v | publishes push, image push, manifest push, build --push, buildx build --push | reveals inspect ** *Env*, inspect --format=*Env*, container inspect ** *Env*
docker system | --filter -f.
docker volume | --filter -f.
docker image | --filter -f.
docker container | --filter -f.
docker rm | -f. -l. --filter
docker rmi | -f. --filter
docker push | @
docker manifest | @
docker build | -t@ -f< -o> --tag@ --file< --build-arg --target --platform --label --secret* --output> --cache-from --cache-to --network --iidfile> --progress
docker buildx | -t@ -f< -o> --tag@ --file< --build-arg --target --platform --label --secret* --output> --cache-from --cache-to --builder --progress
docker run | -e -u -w -v -p -l -m -c -h -a --env --env-file< --name --network --user --workdir --volume --mount --publish --platform --entrypoint! --label --memory --cpus --hostname --add-host --cap-add --cap-drop --device --gpus --ipc --pid --restart --shm-size --ulimit --pull --security-opt --tmpfs
docker exec | -e -u -w --env --env-file< --user --workdir
docker compose (containers) | -f< -p@ --file< --project-name@ --profile --env-file< --project-directory --ansi --progress --parallel --log-level $COMPOSE_PROJECT_NAME@ | destroys down --volumes, down -v, rm --volumes, rm -v | reveals config --environment
docker compose down | -t --timeout --rmi
docker compose rm | -f.
docker compose run | -e -u -w -v -p -l --env --name --user --workdir --volume --publish --entrypoint! --label
docker compose exec | -e -u -w --env --user --workdir --index
docker compose logs | -n --tail --since --until
docker compose up | -t --timeout --scale --exit-code-from --wait-timeout
crane, oras, skopeo, butler | @ --platform --src-creds* --dest-creds* | publishes push, copy, cp, delete
kubectl, k, kubecolor, microk8s, k3s, oc (cluster) | -n@ -l -f< -k -s@ -v -c -o -p -L --namespace@ --context@ --cluster@ --kubeconfig@ --server@ --user --as --as-group --token* --selector --filename< --field-selector --grace-period --timeout --request-timeout --output --patch --type --container --replicas --field-manager --cache-dir --certificate-authority --client-certificate --client-key --tls-server-name --username --password* --profile --profile-output --log-flush-frequency $KUBECONFIG@ | destroys delete, drain, replace --force, apply --prune --all | applies scale --replicas=0 | keeps delete pod/pods/po/event/events/job/jobs * !--all !--selector !--all-namespaces, delete pod\\/*/pods\\/*/po\\/*/job\\/*/jobs\\/* | reveals get secret/secrets/secret\\/*/secrets\\/* -o, get secret/secrets/secret\\/*/secrets\\/* --output, get secret/secrets/secret\\/*/secrets\\/* --template, config view --raw, create token, whoami -t | escalates create clusterrolebinding --clusterrole=cluster-admin, adm policy add-cluster-role-to-user cluster-admin
kubectl logs | -n@ -l -c
kubectl exec | -n@ -c
kubectl rollout | -n@ -l -f<
helm, helmfile (cluster) | -n@ -f< -e --namespace@ --kube-context@ --kubeconfig@ --kube-token* --kube-apiserver@ --kube-as-user --kube-as-group --kube-ca-file< --values< --set --set-string --set-file< --version --timeout --registry-config< --repository-config< --repository-cache --history-max --burst-limit --qps --environment --selector --file< $KUBECONFIG@ | destroys uninstall, delete, del, un, destroy | publishes push, cm-push
argocd (cluster) | --server@ --auth-token* --grpc-web-root-path --argocd-context@ --config | destroys app/proj/cluster/repo/appset delete/rm
flux (cluster) | -n@ --namespace@ --context@ --kubeconfig@ --timeout $KUBECONFIG@ | destroys delete, uninstall
terraform, tofu, opentofu (service) | -chdir -target -var -var-file< -state< -state-out> -out> -backend-config< -replace -parallelism -lock-timeout -backup -auto-approve~ --auto-approve~ -h? $TF_CLI_ARGS& | destroys destroy, state rm/push, workspace delete, force-unlock, taint, apply -destroy, apply --destroy | applies ?apply | reveals output *secret*/*password*/*token*, output *key* -raw, output *key* -json, show -json, state pull
terragrunt (service) | --terragrunt-working-dir --terragrunt-config< --working-dir --config< -target -var -var-file< -auto-approve~ --terragrunt-non-interactive~ --non-interactive~ $TF_CLI_ARGS& | destroys destroy, run-all/run destroy, stack run destroy, destroy-all, state rm, apply -destroy, run-all apply -destroy | applies ?apply, ?apply-all, ?run-all apply, ?run apply, ?stack run apply
pulumi (service) | -s@ -C -c -m -p --stack@ --cwd --config --color --message --parallel --target --config-file< --tracing --profiling --skip-preview~ -f~ --preview-only? | destroys destroy, down, dn, stack rm, state delete | applies ?up, ?update, ?refresh | reveals config get *ecret*/*assword*/*oken*/*key*/*Key*
cdk, cdktf (service) | -c -a! --app! --context --profile@ --role-arn --output> --toolkit-stack-name --parameters --require-approval | destroys destroy | applies ?deploy, deploy --require-approval=never | deploys deploy
sam, samlocal (service) | -t< -b --stack-name --region@ --profile@ --template< --config-file< --config-env --parameter-overrides --s3-bucket | destroys delete | deploys deploy
serverless, sls, sst (service) | -s@ -r@ -c< --stage@ --region@ --config< --param --function --aws-profile@ | destroys remove | deploys deploy
eksctl (service) | -f< -n -r --name --region@ --profile@ --config-file< --cluster --namespace | destroys delete
kops (service) | --name --state@ --config | destroys delete
eb (service) | -r@ --region@ --profile@ | destroys terminate | deploys deploy | reveals printenv
aws, awslocal (service) | --profile@ --region@ --endpoint-url@ --output --query --cli-input-json< --cli-connect-timeout --cli-read-timeout --color --ca-bundle --cli-binary-format --starting-token --max-items --page-size --exclude --include --acl --storage-class --content-type --cache-control --metadata --sse --filters --filter --tags -h. --dryrun? --generate-cli-skeleton? $AWS_ENDPOINT_URL@ $AWS_PROFILE@ $AWS_ENDPOINT_URL_S3@ | destroys s3 sync * s3:* --delete, * batch-delete-*/delete/delete-*/terminate-*/destroy-*/purge-*/deregister-*/disable-*/remove-*/schedule-key-deletion/cancel-*/reset-*, s3 rb/rm, ec2 stop-instances/release-address | keeps * cancel-spot*/disable-metrics*/reset-image*, dynamodb delete-item, sqs delete-message/delete-message-batch, configure, ** help | deploys deploy create-deployment, ecs update-service, lambda update-function-code, elasticbeanstalk update-environment, amplify start-deployment, apprunner start-deployment | escalates iam attach-* --policy-arn=*AdministratorAccess* | reveals secretsmanager get-secret-value, ssm get-parameter/get-parameters/get-parameters-by-path --with-decryption, ecr get-login-password, sts get-session-token/assume-role, configure export-credentials, configure get *secret*/*token* | sends ** cp/mv/sync/put-object/put-parameter/send-message/publish/invoke | fetches s3 cp s3:*, ** get-parameter/get-object/get-secret-value
gcloud (service) | --command! --project@ --account@ --configuration@ --zone --region --format --filter --verbosity --impersonate-service-account --billing-project --flags-file< --access-token-file< --trace-token --user-output-enabled --cluster --location --member --role --instance -q~ | destroys storage rm, ** remove-iam-policy-binding/abandon-instances/failover | keeps config, auth, components, info, help | deploys run/app/functions deploy, beta/alpha run/app/functions deploy, run services/jobs deploy | reveals secrets versions access, auth print-access-token/print-identity-token, auth application-default print-access-token | unguards ** --no-enable-secure-boot | escalates ** add-iam-policy-binding --role=roles/owner, ** add-iam-policy-binding --role=roles/editor | sends ** cp/mv/rsync/scp/publish | fetches storage cat
gsutil (service) | -o -h -i -u --endpoint-url@ | destroys rm, rb, rsync -d | keeps rsync -n | sends ** cp/mv/rsync | fetches cat
bq (service) | --project_id@ --dataset_id --location --format --api@ -n | destroys rm
az (service) | -g@ -n -o -s@ -l --resource-group@ --name --subscription@ --output --query --location --account-name --container-name --vault-name --scope --ids | destroys ** delete-batch, ** deallocate | keeps account, config, configure, logout, extension, cache, bicep, ** list/show | deploys webapp/functionapp/containerapp/staticwebapp up/deploy/update, webapp/functionapp deployment ** config-zip | reveals keyvault secret show, account get-access-token, ** keys list, ** list-keys | escalates role assignment create --role=Owner | sends ** upload/upload-batch/copy
doctl (service) | -t* -c --access-token* --context@ --output --format --config< -o | destroys ** rm/delete-selected | deploys apps create-deployment/update
heroku (service) | -a@ -r@ --app@ --remote@ --confirm~ --team --type | destroys destroy, pg:reset, pg:credentials:destroy, pg:backups:delete, domains:clear, config:unset, ps:stop | deploys container:release, pipelines:promote, releases:rollback, rollback | reveals config, config:get, pg:credentials:url, auth:token | keeps keys:remove, plugins:uninstall, logs, auth:logout
fly, flyctl (service) | -C! --command! -a@ -c< -t* -r --app@ --config< --access-token* --region --org --image -y~ | destroys destroy | deploys deploy, launch | reveals auth token
vercel, vc, now (service) | -t* -S@ -A< -Q --token* --scope@ --local-config< --global-config --cwd --target --meta --env --build-env -y~ -p. | destroys rm, remove | deploys promote, ** --prod, ** --production, ** --target=production | keeps env/logs/log/ls/list/dev/link/pull/inspect/whoami/build/open/status | reveals env pull \\/dev\\/*
netlify, ntl (service) | -s@ -d -m --site@ --dir --message --auth* --alias --filter --functions --context --timeout -p. | destroys sites:delete, env:unset | deploys ** --prod, ** --production, ** -p | keeps env/logs/ls/list/dev/link/open/status/build | reveals env:get/env:list
railway (service) | -s@ -e@ -p@ --service@ --environment@ --project@ --volume | destroys down, delete | deploys up, deploy, redeploy | reveals variables/variable
wrangler (service) | -c< -e@ --config< --env@ --cwd --name --account-id --namespace-id --binding --env-file< --local. | destroys delete, secret delete | deploys deploy, publish, pages deploy/publish, versions deploy, rollback | keeps d1 execute
firebase (service) | -P@ -c< -m --project@ --config< --only --except --token* --message --account@ | destroys database:remove, hosting:disable, hosting:channel:delete, firestore:delete | deploys deploy | keeps logout, login, emulators:start, emulators:exec | reveals functions:config:get, functions:secrets:access
supabase (service) | --project-ref@ --db-url@ --workdir --password* --profile@ -p* | destroys secrets unset, db reset | deploys functions deploy, db push | keeps status
ibmcloud, oci, scw (service) | --profile@ --region@ --output -o -g -r --compartment-id --config-file< | destroys ** rm/service-delete/bulk-delete/delete/terminate
linode, linode-cli, vultr, vultr-cli, hcloud (service) | --token* --context@ --format --config< | destroys * rm/rebuild/reset
vault, bao (service) | -address@ -mount -namespace@ -field -format -ca-cert -client-cert -client-key -tls-server-name -wrap-ttl -method -path $VAULT_ADDR@ | destroys kv delete/destroy, kv metadata delete, delete, secrets/auth disable, operator seal/step-down, token/lease revoke | reveals get/show/read/view/access/reveal/print/export/download/dump/cat/decrypt/lookup/fetch/open, * get/show/read/view/access/reveal/print/export/download/dump/cat/decrypt/lookup/fetch/open, print, token create/lookup
consul (service) | -http-addr@ -token* -datacenter -namespace $CONSUL_HTTP_ADDR@ | destroys kv delete, leave, force-leave | reveals kv get *secret*/*password*/*token*/*key*/*cred*
nomad (service) | -address@ -namespace@ -region@ -token* $NOMAD_ADDR@ | destroys job stop, stop, system gc, namespace delete, job deregister/purge
gh (service) | -R@ -r -H -f -F -X -q -t -b -B -l -a -m -p -L -u -d. -s -c -h. --repo@ --hostname@ --method --field --raw-field --header --input< --jq --template --title --body --body-file< --base --head --label --assignee --milestone --limit --json --search --author --state --visibility --description --source --remote --notes --notes-file< --target --team --homepage --gitignore --license --clone --env --app --org --ref $GH_REPO@ | destroys repo delete/archive/rename, release delete/delete-asset, workflow disable, secret/variable/ssh-key/gpg-key/cache/label/run/codespace/cs/environment/gist/issue/ruleset/project delete/remove | publishes release create/edit/upload, repo edit --visibility=public, repo edit public, repo edit * public, ?repo create --public, workflow run *release*, workflow run *publish*, workflow run *deploy* | disables ?pr merge --admin | keeps extension, alias, config, auth, search, release create/edit --draft | reveals auth token, auth status --show-token, auth status -t | sends ** create/comment/edit/upload/review | fetches gist view, api, release download
glab (service) | -R@ -X -F -f -H --repo@ --method --field --raw-field --group --host@ | destroys repo/release/variable/issue delete | reveals auth status --show-token, auth status -t | sends ** create/note | fetches snippet view, api
wsl (service) | -d -u -e | destroys --unregister
vagrant (service) | -c! --command! --machine-readable. | destroys destroy
virsh (service) | -c@ --connect@ --domain --pool | destroys destroy, undefine, vol-delete, pool-delete, pool-destroy
multipass, lxc, incus (service) | | destroys delete, purge
rclone (backup) | --config< --exclude --include --filter --filter-from< --transfers --checkers --log-file> --log-level --bwlimit --backup-dir --max-age --min-age -n? -i. | destroys purge, delete, deletefile, cleanup, rmdirs/rmdir, ?sync * *:* | sends ** copy/copyto/sync/move/moveto/rcat | fetches cat
s3cmd (service) | -c< --config< --host@ --access_key* --secret_key* -n? | destroys rb, rm, del | sends ** put/sync
mc (service) | --config-dir -C | destroys rb, rm | sends ** cp/mirror/pipe/put
s5cmd (service) | --endpoint-url@ --profile@ | destroys rm, rb
ansible, ansible-playbook (service) | -i@ -l -e -m -a! -f -u -t -M -C? --inventory@ --limit --extra-vars --module-name --args! --tags --skip-tags --forks --user --check? --list-hosts? --list-tasks? --syntax-check? | destroys ** state=absent, -a=*state=absent*, --args=*state=absent* | applies ?* | runs * | keeps -m=ping, -m=setup, -m=debug, --module-name=ping, --module-name=setup, --module-name=debug
rabbitmqctl, rabbitmqadmin (manager) | -n@ -p -H@ -P -u --host@ --vhost --node@ --username --password* -f | destroys reset, force_reset, delete_*, purge_queue, ?delete, ?purge
kafka-topics, kafka-consumer-groups (service) | --bootstrap-server@ --topic --zookeeper@ --command-config< --group | destroys ** --delete
minikube, kind, k3d, k3sup, colima, ctlptl (manager) | -p@ -n@ --profile@ --name@ --kubeconfig
cf, koyeb, northflank, render, scalingo, clever, dokku, zeabur, okteto, qovery, porter, garden, devspace (manager) | -f~ -a@ --app@ --token* | deploys push, deploy, ps:rebuild, git:sync
temporal, databricks, confluent, argo, tkn, airflow, prefect, velero, pulsar-admin, rpk, nats, rosa, linkerd, dapr, packer, snow, mlflow, wandb, modal, replicate, juju, openstack, pvesh, qm, pct, govc, xe, b2, coscli, ossutil, azcopy, swift, tccli, aliyun, yc, exo, civo, sentry, datadog, vcluster, metal, hcp, infracost, cloudctl, stackit, ovhcloud, clerk, fauna, xata, prismic, contentful, sanity, deployctl, upstash, auth0, stripe, algolia, neon, neonctl, turso, pscale, cockroach, ccloud, snyk, launchdarkly, ldcli, posthog, planetscale (manager) | --context@ --profile@ --project@ --token* --output --org | deploys deploy/redeploy, * deploy | destroys branches/databases/database/projects/db delete/destroy/reset | reveals config --list
kubeadm, talosctl, k0s, k0sctl, rke, rke2 (manager) | --kubeconfig@ --config< -n@ -e@ --nodes@ --endpoints@ | destroys reset
convex, ampx, amplify (manager) | --prod. --url@ --admin-key* --deployment-name@ --table --env-file< | destroys import --replace-all, import --replace, run ** | deploys deploy, publish, push | reveals env list/get | keeps run
copilot (service) | -n -a@ -e@ --name --app@ --env@ | destroys app/svc/env/job delete | deploys deploy, * deploy
kamal, mrsk, mup, shipit, dep, deployer, cap, func (manager) | -d@ -c< --destination@ --config-file< | destroys remove, app remove | deploys deploy/redeploy, ** deploy
surge | -p -d --project --domain | deploys * | keeps list/help/whoami/login/logout/teardown
gh-pages | -d -b -r --dist --branch --repo@ --message | deploys **
dvc (manager) | -j -r -p --jobs --remote --projects | destroys ?gc
hdfs, hadoop (service) | -D -h. --config | destroys dfs/fs -rm -skipTrash
doveadm (service) | -u@ -c< -o -f | destroys expunge | keeps purge
simctl, xcrun (manager) | --sdk --set | destroys ?erase/delete all, ?simctl erase/delete all
restic (backup) | -r@ -p< -o --repo@ --password-file< --password-command! --tag --host --path --keep-last --keep-daily --keep-weekly --keep-monthly --keep-yearly --keep-hourly --keep-within --cache-dir -n? $RESTIC_REPOSITORY@ | destroys ?forget, ?prune, ?key remove, repair, rebuild-index | keeps snapshots, rebuild-index, repair index
borg, borgmatic (backup) | -r@ --repo@ --rsh! --remote-path --prefix --glob-archives -a -P --keep-daily --keep-last --keep-weekly --keep-monthly -n? $BORG_REPO@ | destroys delete, ?prune, ?recreate, key change-passphrase, ?compact
kopia, duplicati-cli, duplicacy (backup) | --config-file< --repository@ | destroys ?snapshot delete, ?repository delete, ?maintenance run --full, ?delete, ?purge, ?prune, ?wipe
duplicity (backup) | --full-if-older-than --encrypt-key --archive-dir | destroys ?remove-*, ?cleanup
tmutil (backup) | | destroys ?delete, ?deletelocalsnapshots, ?deleteinprogress, ?thinlocalsnapshots, ?disable
pgbackrest, wal-g, barman (backup) | --stanza@ --config< --repo | destroys ?stanza-delete, ?delete, ?expire, ?repo-rm
snapper, timeshift, btrbk (backup) | -c --config< --snapshot | destroys ?delete, ?--delete, ?--delete-all
op (service) | --account@ --vault@ --format --fields --session* --config | destroys ?item/vault/document/user/group/connect delete, ?item edit ** delete | reveals get/show/read/view/access/reveal/print/export/download/dump/cat/decrypt/lookup/fetch/open, * get/show/read/view/access/reveal/print/export/download/dump/cat/decrypt/lookup/fetch/open, inject | keeps list
doppler (service) | -p@ -c@ -t* --project@ --config@ --token* --only-names? | destroys ?projects/configs/environments/secrets delete, ?configs tokens revoke | reveals secrets !--only-names, * get/show/read/view/access/reveal/print/export/download/dump/cat/decrypt/lookup/fetch/open
kwallet-query, sops, age, rage, ansible-vault, dotenvx (plain) | | reveals -r, -d, --decrypt, decrypt/view/get | keeps encrypt
bw, bws, rbw, pass, gopass, lpass, keyring, berglas, akeyless, conjur, keepassxc-cli, envchain, aws-vault, security, secret-tool (service) | --session* --organizationid -c | destroys ?delete, ?rm, ?remove | reveals get/show/read/view/access/reveal/print/export/download/dump/cat/decrypt/lookup/fetch/open, * get/show/read/view/access/reveal/print/export/download/dump/cat/decrypt/lookup/fetch/open, *\\/*, search
infisical, chamber, teller (service) | --env@ --projectId@ --path --token* | destroys ?secrets delete, ?delete | reveals secrets, get/show/read/view/access/reveal/print/export/download/dump/cat/decrypt/lookup/fetch/open, * get/show/read/view/access/reveal/print/export/download/dump/cat/decrypt/lookup/fetch/open, env/sh
npm (local) | -w -C --prefix --registry@ --workspace --tag --access --otp* --userconfig< --globalconfig< --loglevel --cache --dir --script-shell! --message -n. $npm_config_registry@ $NPM_CONFIG_REGISTRY@ | publishes publish, unpublish, deprecate, dist-tag add/rm, owner add/rm, access, run release/publish, run-script release/publish | deploys run deploy/ship/deploy:*/ship:*/deploy-*/ship-* | reveals config get *_auth* | runs i/install/add/in/isntall/exec/x
pnpm (local) | -C -F --dir --filter --registry@ --tag --access --otp* --workspace-dir --store-dir --reporter --loglevel --publish-branch --config $npm_config_registry@ $NPM_CONFIG_REGISTRY@ | publishes publish, release, run release/publish | deploys deploy:*/ship/ship:*, run deploy/ship/deploy:*/ship:* | runs i/install/add/dlx
yarn (local) | --cwd --registry@ --new-version --tag --access --otp* --modules-folder --cache-folder --message $YARN_REGISTRY@ $npm_config_registry@ | publishes publish, npm publish, run publish/release, release | deploys deploy/ship/deploy:*/ship:*, run deploy/ship/deploy:*/ship:* | runs add/dlx/global
bun (local) | --cwd --registry@ --tag --access --otp* --config< $npm_config_registry@ | publishes publish, run release/publish | deploys deploy/ship, run deploy/ship/deploy:*/ship:* | runs i/install/add/x
Publish-Module, Publish-Script, Publish-PSResource (local) | -h. | publishes **
Set-NetFirewallProfile (local) | -Profile -Enabled | unguards ** -Enabled=False
lerna, changeset (local) | --registry@ --dist-tag --otp* --tag --message | publishes publish | keeps publish --skip-publish
semantic-release, release-it, np (local) | -b -d? --branches --config< --branch --tag --npm.tag --any-branch. | publishes ** | keeps ** --no-publish
jsr, deno (local) | --config< --token* -c< --set-version | publishes publish | deploys task deploy/ship
twine (local) | -r@ -u -p* -c -i --repository@ --repository-url@ --username --password* --config-file< --identity --cert $TWINE_REPOSITORY_URL@ | publishes upload
poetry, uv, hatch, flit, pdm, maturin (local) | -r@ -u -p* -P -C -i --repository@ --publish-url@ --index-url@ --index --project --directory --username --password* --token* --group --extra --python --with $UV_PUBLISH_URL@ | publishes publish, upload | runs add/install, pip install
cargo (local) | -p -j -Z -C -F --index@ --registry@ --token* --package --target --target-dir --manifest-path< --config --features --color --jobs --profile --version -n? | publishes publish, yank, owner, release | runs install/add
gem (local) | -k -v -C -p --key --host@ --otp* --version --config-file< $RUBYGEMS_HOST@ | publishes push, yank, owner | runs install/i
mvn, mvnw (local) | -f< -s< -P -pl -D -T -t -gs --file< --settings< --projects --activate-profiles | destroys ** flyway:clean/liquibase:dropAll | publishes ** deploy/release:perform/deploy:deploy-file
gradle, gradlew (local) | -b< -c< -p -I< -P -D -x -g --project-dir --build-file< --init-script< --exclude-task --console --max-workers -m? | destroys ** flywayClean/*:flywayClean | publishes ** publish*/*:publish* | keeps ** publishToMavenLocal/*:publishToMavenLocal
sbt (local) | -D -J | publishes ** publish/publishSigned/release
dotnet, nuget (local) | -s@ -k* -c -f -o> -r -v --source@ --api-key* --configuration --framework --output> --runtime --verbosity | publishes nuget push/delete, push, delete
dotnet ef (data) | -p -s -c --project --startup-project --context --connection@ | destroys database drop, database update 0
pod (local) | --sources | publishes trunk push/delete, repo push
dart, flutter (local) | -C --directory -n? | publishes pub publish, packages pub publish
mix (data) | --only --repo -r --app $MIX_ENV@ $DATABASE_URL@ | publishes hex.publish | destroys ecto.drop, ecto.reset, do ** ecto.drop/ecto.drop,/ecto.reset/ecto.reset,
vsce, ovsx (local) | -p* --pat* --registryUrl@ --packagePath< -i< | publishes publish, unpublish
goreleaser (local) | -f< -p --config< --parallelism --timeout --snapshot? --skip | publishes release | keeps release --snapshot, release --skip=publish, release --skip-publish
fastlane (local) | --env@ | publishes ** deliver/pilot/supply/release/upload_to_*
eas (service) | -p -e -m --platform --profile --branch --message --channel --path< --id | publishes submit, update | deploys ** --prod
conan, anaconda (local) | -r@ -u --remote@ --user --token* | publishes upload
clojars | | publishes **
snapcraft, charmcraft (local) | --release --target-arch | publishes upload, push, release
ko, pack (local) | -B. --platform --tags --tag-only. $KO_DOCKER_REPO@ | publishes build, publish, resolve, apply, ** --publish
huggingface-cli, hf (service) | --repo-type --token* --revision --include --exclude | publishes upload, repo create
gh release | -R@ -p -O> -D> -n -t -F< --repo@ --pattern --output> --dir> --notes --title --notes-file< --target
drwn | --out> --junit> --sarif> --registry@
rails, rake (data) | -e@ -E -f< -g -I -r -C --environment@ --rakefile< $RAILS_ENV@ $RACK_ENV@ $DATABASE_URL@ | destroys ** db:drop/db:reset/db:purge/db:truncate_all/db:schema:load/db:migrate:reset/db:setup:all/db:drop:*/db:reset:*/db:seed:replant | publishes release | reveals credentials:show/secrets:show | deploys deploy/ship, deploy:*, ship:*
prisma (data) | --schema< --config< --url@ --from-url@ --to-url@ --file< --script --name -n -h? --accept-data-loss~ $DATABASE_URL@ | destroys migrate reset, db push --force-reset, db push --accept-data-loss
drizzle-kit (data) | --config< --schema< --out> --dialect --url@ --name $DATABASE_URL@ | destroys drop, ?push -f, ?push --force, ?push
typeorm, typeorm-ts-node-esm, typeorm-ts-node-commonjs (data) | -d< -c --dataSource< --connection $DATABASE_URL@ | destroys schema:drop
sequelize, sequelize-cli (data) | --env@ --url@ --config< --migrations-path --to $NODE_ENV@ $DATABASE_URL@ | destroys db:drop, db:migrate:undo:all
knex (data) | --env@ --knexfile< --client --connection@ --esm. $NODE_ENV@ $DATABASE_URL@ | destroys migrate:rollback --all
artisan (data) | --env --database@ --path --seeder --execute% $DB_DATABASE@ $DATABASE_URL@ --pretend? | destroys migrate:fresh/migrate:reset/migrate:refresh/db:wipe !--env=testing, ?migrate:fresh/migrate:reset/migrate:refresh/db:wipe
console (data) | -e@ --env@ --em@ --connection@ --group --dump-sql? -n~ $APP_ENV@ $DATABASE_URL@ | destroys doctrine:database:drop, doctrine:schema:drop, d:d:d, d:s:d, ?doctrine:fixtures:load, ?d:f:l, ?hautelook:fixtures:load, doctrine:schema:update --complete --force, doctrine:migrations:migrate first, doctrine:mongodb:schema:drop, ?fos:elastica:reset | keeps doctrine:fixtures:load --append
manage.py, django-admin (data) | --settings --database@ --pythonpath --command% -c% --plan? --check? $DATABASE_URL@ $DJANGO_SETTINGS_MODULE@ | destroys flush, reset_db, zero, migrate * zero, sqlflush | keeps sqlflush
flask, alembic (data) | -A --app -c< -x -n -d --config< --directory --sql? $DATABASE_URL@ $FLASK_APP@ | destroys db downgrade base, downgrade base, ?drop-db, ?drop_db, ?reset-db, ?reset_db, ?init-db --drop
ldapdelete (data) | -D -w* -y< -H@ -h@ -b -n? | destroys ** -r
atlas (manager) | -u@ --url@ --to --env@ --schema --projectId@
atlas schema (data) | -u@ | destroys clean, ?apply --auto-approve
skeema (data) | -p* | destroys push --allow-unsafe
flyway, liquibase (data) | -url@ -user -password* --url@ --username --password* --changelog-file< --defaults-file< -configFiles< -schemas --schemas | destroys clean, drop-all, dropAll
goose (data) | -dir -table --dir $GOOSE_DBSTRING@ | destroys reset, ** reset
dbmate (data) | -u@ -e -d --url@ --env --migrations-dir $DATABASE_URL@ | destroys drop
migrate (data) | -path -database@ -source --path --database@ | destroys drop, ?down, force
diesel, sqlx (data) | --database-url@ -D@ --source --config-file< $DATABASE_URL@ | destroys database reset/drop, migration revert --all, db reset
hasura (data) | --endpoint@ --admin-secret* --project | destroys ** metadata clear
atlas-migrate, dbt (data) | --target@ --profiles-dir --project-dir --select --vars -t@ -s | destroys ?run --full-refresh, ?build --full-refresh
meteor, spring, flyway-cli, jhipster (data) | --port --settings< --url@ | destroys reset, clean
ace, adonis (data) | --connection@ $NODE_ENV@ | destroys migration:fresh, migration:reset, migration:refresh, db:wipe, db:truncate
typesense-cli, meilisearch, opensearch-cli (data) | --url@ --host@ --api-key* | destroys index delete
psql, pgcli, cockroach-sql (data) | -h@ -d@ -c% -f< -p -U -v -F -P -R -T -L -o> --host@ --dbname@ --command% --file< --port --username --set --variable --output> @ $PGHOST@ $PGDATABASE@ $DATABASE_URL@ -l?
pg_restore (data) | -h@ -d@ -f> -p -U -F -L< -n -P -T -S -I -j --host@ --dbname@ --file> --username --port --use-list< -l? | destroys ** --clean, ** -c
dropdb, dropuser (data) | -h@ -p -U -W. --host@ --port --username --maintenance-db $PGHOST@ @ | destroys *
mysql, mariadb, mycli (data) | -h@ -D@ -e% -u -P -S --host@ --database@ --execute% --user --port --socket --defaults-file< --default-character-set --ssl-ca @ $MYSQL_HOST@
mysqladmin, mariadb-admin (data) | -h@ -u -P -S --host@ --user --port --socket | destroys drop, ** drop
mongo, mongosh (data) | -h@ -f< -u -p* --host@ --port --eval --file< --username --password* --authenticationDatabase @
mongorestore (data) | -h@ -d@ -c -u -p* --host@ --db@ --uri@ --nsInclude --archive< --dryRun? | destroys ** --drop
postsuper (data) | -c | destroys ** -d
reg (data) | | destroys delete
wevtutil (data) | | destroys cl/clear-log
redis-cli, valkey-cli, keydb-cli (data) | -h@ -p -a* -n -u@ -s -t -r -i -I -d -D -X --user --pass* --sni --cacert --cert --key
etcdctl (data) | --endpoints@ --cacert --cert --key --user* --command-timeout | destroys del, snapshot restore, member remove | reveals get *secret*/*password*/*token*/*key*/*cred*
influx (data) | -o -b -t* --host@ --org --bucket --token* -n --name --start --stop --predicate | destroys delete, bucket delete
cqlsh, clickhouse-client, clickhouse, snowsql, duckdb, sqlite3, sqlcmd, usql, trino, presto, beeline, cypher-shell (data) | -h@ -u -p* -q% -e% -Q% -d@ -S@ -U -P* -f< -i< -k< --host@ --user --password* --query% --execute% --database@ --file<
mkfs, mke2fs, mkswap, mkdosfs, mkntfs, newfs, wipefs, blkdiscard, nwipe (disk) | -t -L -b -i -m -O -U -E -I -n? -N? --no-act? | destroys **
lvremove, lvreduce, vgremove, vgreduce, pvremove, pvcreate, vgcreate, lvconvert, lvm (disk) | -L -l -t? --test? --longhelp? --config | destroys **
fdisk, sfdisk, sgdisk, gdisk, cfdisk (disk) | -l? -d? -J? -v? -i? -p? -s? -x? -V? --list? --dump? --json? --verify? --print? --info?
zpool, zfs (disk) | -o -O -R -t -n? | destroys destroy, labelclear, create, rollback | keeps create -n
diskutil (disk) | | destroys erase*, zeroDisk, randomDisk, secureErase, partitionDisk, reformat, apfs deleteContainer/deleteVolume/eraseVolume | keeps list, info
parted (disk) | -a -l? --list? | destroys ** mklabel/mktable/mkpart/rm/resizepart
cryptsetup (disk) | -c -s -h -d< --key-file< --cipher --test-passphrase? | destroys luksFormat, erase, luksErase, luksRemoveKey, luksKillSlot, reencrypt
nvme (disk) | -n -s -l | destroys format, sanitize, delete-ns
hdparm (disk) | -h? | destroys ** --security-erase, ** --security-erase-enhanced, ** --trim-sector-ranges, ** --make-bad-sector, ** --write-sector
mdadm (disk) | -l -n --level --raid-devices | destroys ** --zero-superblock, ** --remove, ** --fail, ** --create
espefuse (disk) | -p -c -b --port --chip --baud | destroys burn*, write_protect*, read_protect*
fastboot (disk) | -s -S --slot | destroys ** -w, erase, format*
btrfs, dmsetup, vssadmin (disk) | | destroys subvolume/device/subvol delete/del, delete, remove, remove_all, wipe_table
brew, apt, apt-get, dnf, yum, pacman, zypper, apk, snap, flatpak, conda, mamba, gcloud-components, nvm, pyenv, rustup, asdf, mise, sdk, cursor, extension, port, nix, nix-env, opam, ghcup, luarocks, cpan, composer, choco, scoop, winget, tlmgr, R (local) | -n -c -t -s? --simulate? --just-print? --no-act? --dry-run? | runs install/add/localinstall/require
pip, pip3, pipx (local) | -c< -r< -t -s? --dry-run? | runs install/run
npx, pnpx, bunx, uvx, easy_install (plain) | -p --package | runs *
dpkg, rpm, installer, msiexec (local) | -l? -q? -V? --simulate? | runs -i, --install, -U, --upgrade, -pkg, \\/i
java, gdb, vim, at, code (plain) | -f. | runs -jar, -x, -S, -f, --install-extension
crontab, insmod (plain) | -u | runs *
go (plain) | | runs run
ollama, lms (local)
gpg, gpg2 (plain) | -o> -r -u --output> --recipient --local-user | reveals --export-secret-keys, --export-secret-subkeys
bundle, rbenv, nodenv, tox, turbo, rush, summon, pipenv, rye, pixi, toolbox, foreman, honcho, volta, direnv, dotenv, cross-env, ssh, su, sudo, doas, concurrently, watchexec (plain)
redis, pm2, supervisorctl, journalctl, loginctl, hostnamectl, timedatectl, localectl, bluetoothctl, playerctl, brightnessctl, pactl, wpctl, busctl, networkctl, resolvectl, coredumpctl, machinectl, udevctl, apachectl, nginxctl, mssql-cli, del-cli, dotenv-cli, git-cli, appctl (local) | -n -u -h. --user. --type --property
setenforce, ufw, csrutil, fdesetup, netsh (local) | | unguards 0/Permissive/permissive/disable/reset, ** off
iptables, ip6tables, nft (local) | -t -A -D -I | unguards -F, --flush, flush
spctl (local) | | unguards --master-disable, --global-disable
auditctl (local) | -e | unguards -D, -e=0, -e=2
aa-disable, aa-teardown, aa-complain (local) | | unguards **
systemctl, service (local) | -n -u -h. --user. --type --property | unguards stop/disable/mask ** firewalld*/ufw*/iptables*/nftables*/apparmor*/auditd*/fail2ban*/selinux*/clamav*/falcon*/osquery*/sshguard*/crowdstrike*/wazuh*/mdatp*, firewalld*/ufw*/iptables*/nftables*/apparmor*/auditd*/fail2ban*/selinux*/clamav*/falcon*/osquery*/sshguard*/crowdstrike*/wazuh*/mdatp* stop
launchctl (local) | | unguards unload/bootout/disable/stop/remove ** *edr*/*falcon*/*crowdstrike*/*sentinel*/*defender*/*jamf*/*santa*/*osquery*
sysctl (local) | -p | unguards ** kernel.randomize_va_space=0/kernel.yama.ptrace_scope=0/kernel.kptr_restrict=0/fs.protected_*=0
xattr (local) | | unguards ** com.apple.quarantine
ngrok, bore, lt, localtunnel, chisel (local) | -p | opens http/tcp/tls/start/local/client/server, -p, --port
tmate, upterm, ttyd, gotty, wetty, shellinaboxd, zrok, frpc, sish, telebit (local) | -V? | opens **
tailscale, devtunnel (local) | | opens funnel/host
http.server, serve, http-server, live-server, miniserve, darkhttpd (local) | -d -b -a -p --directory --bind --address --host --port --root | serves **
cloudflared (local) | --url | opens tunnel ** run, tunnel --url
croc, wormhole, ipfs (net) | | sends send/tx/add
dig, host, nslookup (net) | -t -p -f< | fetches ** txt/TXT, -t=txt
curl, curlie (net) | @ -d -F -T< -A -b< -H -u* -U* -e -X -o> -m -w -x@ -K< -c> -C -E< -P -Q -r -t -y -Y -z -D> --data --data-raw --data-binary --data-urlencode --data-ascii --form --form-string --upload-file< --json --url@ --header --user* --output> --request --user-agent --cookie< --proxy@ --max-time --write-out --cacert< --cert< --key< --connect-timeout --retry --retry-delay --resolve --interface --referer --cookie-jar> --config< --dump-header> --url-query --netrc-file --unix-socket --limit-rate --output-dir> -h? -n. -f. -y
wget, wget2 (net) | @ -O> -o> -P> -U -e -t -T -i< --output-document> --output-file> --directory-prefix> --user-agent --header --method --body-data --body-file< --post-data --post-file< --password* --user -n.
http, https, xh, xhs, httpie (net) | @ -a* -A -o> --auth* --auth-type --output> --verify --session --proxy@ --timeout -h. -f. --offline?
sort (plain) | -o> -k -t -S -T --output> --key --field-separator --buffer-size --compress-program!
gcc, cc, clang (plain) | -o> -I -L -l -D -x
scp, sftp (files) | -i -o -P -F -J -l -S! -c -b<
rsync (files) | -e! -f -B -M -T -h. -n? --rsh! --exclude --include --filter --exclude-from< --include-from< --files-from< --backup-dir --rsync-path! --chmod --log-file> --port --list-only?
make, gmake (build) | -C -f< -j -I -o -W -n? --directory --file< --makefile< --eval! --just-print? --question? | deploys deploy/ship, deploy-*/ship-*
just, task, mage (build) | -f< -d --justfile< --working-directory --taskfile< --dir -n? --dry? | deploys deploy/ship/deploy:*/ship:*/deploy-*/ship-*, run deploy | runs -f, --justfile
bash, sh, zsh, dash, ksh, mksh, ash (shell) | -c% -o -O -n? --rcfile< --init-file<
nc, ncat, netcat (net) | -e! -c! -g -i -p -s -w -x@ -z? -h?
echo, printf, print, say, grep, egrep, fgrep, zgrep, ag, ack, find, fd, fdfind, ls, cat, bat, cd, pushd, info, sed, awk, gawk, jq, yq, head, tail, less, more, vi, nvim, nano, emacs, mkdir, touch, cp, mv, ln, rm, rmdir, chmod, chown, unzip, uniq, wc, cut, tr, tee, diff, test, which, type, export, alias, unalias, set, unset, source, eval, time, timeout, sleep, python, ruby, php, perl, rustc, jest, vitest, pytest, mocha, playwright, cypress, tsc, eslint, prettier, biome, node, tmux, screen, ssh-keygen, openssl, base64, date, env, xargs, true, false, history, bg, fg, jobs, ps, top, htop, df, du, stat, file, realpath, basename, dirname, read, let, declare, local, wait, trap (plain)
pkill, killall, skill (process) | -P --parent -u -U -g -G -t -s -f. -n. --signal --euid --uid --group --session --terminal -y -o
kill (process) | -s -l? -L? -0?
taskkill (process) | -im -pid -s -u -p* -fi
tar (plain) | -f -C -T -X -b -g -I! -F! --to-command! --use-compress-program! --info-script! --new-volume-script! --rsh-command! --checkpoint-action!
rg (plain) | --pre! --hostname-bin!
man (plain) | -P! --pager!
zip (plain) | -TT! --unzip-command!
nix-shell (plain) | --run! --command!
nodemon (plain) | -x! --exec! -e -w -i --ext --watch --ignore
split (plain) | -l -b -C -n -a --filter!
`;
