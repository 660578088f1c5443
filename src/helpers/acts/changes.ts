import type { ToolPolicyEvent } from "../../policy/event.ts";
import { oneOf, oneOfAnyCase } from "../pattern/one-of.ts";
import { type ProgramCall, programCallOf } from "../programs/call.ts";
import type { ActClass, ProgramKind } from "../programs/rows.ts";
import { isWeak, removedByName, removedByWords, removesPeople, valueOfAddress } from "../programs/verbs.ts";
import { isRunner } from "../shell/runners.ts";
import { stepsRead } from "./calls.ts";
import { callsIn } from "./code.ts";
import { inputTexts } from "./input.ts";
import { codeOf } from "./interpreters.ts";
import type { Step } from "./steps.ts";

/** What a call does to something that isn't a file: to a database, a cluster, a service, a registry. */
export interface OutsideChange {
  does: Exclude<ActClass, "keeps">;
  /** The program with its words, for people: `docker compose down`. */
  what: string;
  /** What the table says of the program; `request`: it is an HTTP request; `server`: a tool of an MCP server. */
  kind: ProgramKind | "request" | "server" | undefined;
  /** False: a person may want it. A call that answers its own safety question is certain. */
  isCertain: boolean;
  step: Step | undefined;
}

/** What the commands of a call, and the call itself, do to things that aren't files. What only looks, or acts on this machine, doesn't count. */
export function changes(event: ToolPolicyEvent): OutsideChange[] {
  return [...stepsRead(event).flatMap(changesOf), ...changesOfServer(event)];
}

/** Of the steps of a call, since several policies ask about them. */
const known = new WeakMap<Step, readonly OutsideChange[]>();

export function changesOf(step: Step): OutsideChange[] {
  const found = known.get(step) ?? changesBy(step).map((one) => Object.freeze(one));
  if (Object.isFrozen(step)) known.set(step, found);
  return [...found];
}

/** What of these is on this machine is lost all the same. */
const KEPT_HERE = oneOf("data containers cluster disk backup");
const CLASSES = [
  "destroys",
  "applies",
  "publishes",
  "deploys",
  "reveals",
  "disables",
  "unguards",
  "opens",
  "serves",
  "escalates",
] as const;

function changesBy(step: Step): OutsideChange[] {
  const call = programCallOf(step);
  if (call.onlyLooks) return [];
  const isHere = actsHere(call.where);
  const what = [call.shown, ...call.words.slice(step.program.includes("-compose") ? 1 : 0, 4)].join(" ");
  const isTest = isForTests(call.where);
  const found: OutsideChange[] = [];
  for (const does of CLASSES) {
    const isHarmless = does === "destroys" ? isTest || (isHere && !KEPT_HERE(call.kind ?? "")) : isHere;
    const act = isHarmless ? undefined : call.does(does);
    if (act !== undefined) found.push({ does, what, kind: call.kind, isCertain: act.isCertain || call.isForced, step });
  }
  const told = call.kind === "service" ? [...step.arguments, ...inputTexts(step), ...step.made] : [];
  if (!isHere && told.some((text) => REMOVING_FIELD().test(text)))
    found.push({ does: "destroys", what, kind: call.kind, isCertain: true, step });
  const said = call.isKnown ? "" : [step.program, ...step.arguments].join(" ");
  if (/prod/iu.test(said) && DEPLOYS().test(said))
    found.push({ does: "deploys", what, kind: undefined, isCertain: false, step });
  const isKept = found.length > 0 || isHere || isTest || call.does("keeps") !== undefined;
  const isCertain = isKept ? undefined : isRemoval(step, call);
  if (isCertain !== undefined) found.push({ does: "destroys", what, kind: call.kind, isCertain, step });
  return [...found, ...changesByRequest(step, call)];
}

/** A field of a request that says what it does: `"Action": "DELETE"`. */
const REMOVING_FIELD = () =>
  /["'](?:action|op|operation|method)["']\s*:\s*["'](?:delete|remove|destroy|terminate|purge)["']/iu;
/** One that shows something to everybody. */
const OPENING_FIELD = () => /["']?\b(?:private["']?\s*[:=]\s*["']?false|visibility["']?\s*[:=]\s*["']?public)\b/iu;

/** A program that nobody knows, with production for its target. */
const DEPLOYS = () =>
  /^(?!.* (?:plan|status|list|ls|logs?|diff|show|check|validate|preview|history|info|describe|get|test)(?: |$))(?:.*[-_:/. ])?(?:re)?(?:deploy|ship|promote|rollout)(?:[-_:.][\w-]*)*(?: .*)?[ =]prod(?:uction)?(?: |$)/isu;

/** Programs that nobody knows, whose names say that they manage something. */
const MANAGING = /(?:ctl|-cli|-admin|-tool)$/u;

/** Whether the words of a program say that it removes something elsewhere; true: without asking. */
function isRemoval(step: Step, call: ProgramCall): boolean | undefined {
  const { kind, isKnown, words, program } = call;
  // What a runner runs is read by itself.
  if (!isKnown && isRunner(program, step.arguments)) return undefined;
  if (isKnown && kind !== "service" && kind !== "manager") return undefined;
  // A cmdlet says it in its name: `Remove-AzResourceGroup`.
  if (/^[A-Z][a-z]+-[A-Z]\w+$/u.test(program))
    return removedByName(program) === "valued" || removesPeople(program) ? call.isForced : undefined;
  const value = removedByWords(words) ?? (/^[\w-]+$/u.test(words[0] ?? "") ? removedByMethod(words[1]) : undefined);
  if (value === undefined) return undefined;
  if (kind === "service") return true;
  if (kind === "manager") return call.isForced;
  return value === "valued" || (value === "unknown" && MANAGING.test(program)) ? false : undefined;
}

/** `aliyun ecs DeleteInstance`. */
function removedByMethod(word = "") {
  return /^[A-Z][a-z]+[A-Z]\w*$/u.test(word) ? removedByName(word) : undefined;
}

const HERE = () =>
  /^(?:[a-z][\w+.-]*:\/\/)?(?:[^@/]*@)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|host\.docker\.internal|[\w-]+\.localhost|kind-registry|registry\.local|(?:kind|k3d)-[\w-]+|minikube|docker-desktop|rancher-desktop|orbstack)(?::\d+)?(?:[/?#]|$)|^:\d+(?:\/|$)/iu;
const ADDRESS = () => /^[a-z][\w+.-]*:\/\//iu;

/** Whether everything that says where a command acts is on this machine. */
function actsHere(where: readonly string[]): boolean {
  return where.some((one) => HERE().test(one)) && !where.some((one) => ADDRESS().test(one) && !HERE().test(one));
}

const TEST_DATABASE = () =>
  /^(?:\w+:\/\/[^?]*\/)?(?:test(?:ing)?|test[_-]\w+|\w+[_-]test(?:ing|s)?(?:_?\d+)?)(?:\.(?:db|sqlite3?))?(?:\?|$)|^(?:sqlite|file):.*(?:\/tmp\/|:memory:|\btest\.(?:db|sqlite3?))|^:memory:$/iu;
/** On this machine it is enough that the name has the word: elsewhere `payments-test-archive` may be all that is left. */
const TEST_WORD = () => /[/_-]tests?(?:[/_-][^?]*)?(?:\?|$)/iu;

/** Whether the databases and environments that a command names are for tests. */
export function isForTests(where: readonly string[]): boolean {
  const addresses = where.filter((one) => one.includes(":"));
  const named =
    addresses.length > 0 ? addresses : where.filter((one) => TEST_DATABASE().test(one) || !HERE().test(one));
  const isTest = (one: string) => TEST_DATABASE().test(one) || (HERE().test(one) && TEST_WORD().test(one));
  return named.length > 0 && named.every(isTest);
}

/** Servers of clouds and the like. */
const API = () => /^https?:\/\/(?:api\.|[\w.-]*\.(?:amazonaws|googleapis|azure)\.com)/iu;
const CREDENTIAL = () => /authorization|bearer|token|api-?key|^--?(?:u|user|auth|a)$/iu;

function changesByRequest(step: Step, call: ProgramCall): OutsideChange[] {
  const isApi = oneOf("gh glab")(call.program) && call.words[0] === "api";
  const code = call.kind === "net" || isApi ? undefined : codeOf(step);
  if (call.kind !== "net" && !isApi && code === undefined) return [];
  const texts = code === undefined ? [...step.arguments, ...inputTexts(step)] : [code.text];
  const change = (what: string, isCertain: boolean, does: OutsideChange["does"] = "destroys"): OutsideChange => ({
    does,
    what,
    kind: "request",
    isCertain,
    step,
  });
  const addresses = code === undefined ? call.where : (code.text.match(/https?:\/\/[^\s"'`]+/gu) ?? []);
  const operation = actsHere(addresses)
    ? undefined
    : texts.flatMap(operationsIn).find((name) => oneOf("valued unknown")(removedByName(name) ?? ""));
  const isChanging = call.values("X", "request", "method").some((method) => oneOfAnyCase("patch put post")(method));
  if ((isApi || isChanging) && !actsHere(addresses) && texts.some((text) => OPENING_FIELD().test(text)))
    return [change(`${step.program} … public`, false, "publishes")];
  if (operation !== undefined) return [change(`${step.program} … ${operation}`, removedByName(operation) === "valued")];
  for (const address of code === undefined ? deletedBy(call, isApi) : deletedByCode(code)) {
    const isValued = isValuedThere(address);
    if (isValued === undefined) continue;
    const isKnown = isApi || isValued;
    if (isKnown || code !== undefined || step.arguments.some((word) => CREDENTIAL().test(word)))
      return [change(`${step.program} DELETE ${address}`, isKnown)];
  }
  return [];
}

/** Whether others rely on what an address is about; undefined: it is on this machine, or small. */
function isValuedThere(address: string): boolean | undefined {
  const value = valueOfAddress(address.replace(/^https?:\/\/[^/]*/u, ""));
  return actsHere([address]) || value === "small" ? undefined : value === "valued" || API().test(address);
}

/** The operations of GraphQL mutations that remove something. */
function operationsIn(text: string): string[] {
  const at = text.search(/\bmutation\b/u);
  return at < 0 ? [] : [...text.slice(at, at + 4_000).matchAll(/\b([a-z]\w*)\s*\(/giu)].map(([, name = ""]) => name);
}

function deletedBy({ program, words, values, has }: ProgramCall, isApi: boolean): string[] {
  const [verb = "", ...rest] = words;
  const methods = [...values("X", "request", "method")];
  if (oneOf("http https xh xhs httpie")(program)) return oneOfAnyCase("delete")(verb) ? rest.slice(0, 1) : [];
  if (!methods.some((method) => oneOfAnyCase("delete")(method)) || has("G")) return [];
  return isApi ? rest : [...words, ...values("url")];
}

function deletedByCode(code: NonNullable<ReturnType<typeof codeOf>>): string[] {
  return callsIn(code).flatMap(({ name, literals }) => {
    const isDelete =
      /(?:^|\.)(?:requests|httpx|axios|session|client|http|ky|got|superagent|fetcher|RestClient|HTTParty)\.(?:delete|del)$/u.test(
        name,
      ) ||
      (/(?:^|\.)(?:fetch|request)$/u.test(name) &&
        /method["']?\s*[:=]\s*["']DELETE["']|^DELETE$/iu.test([code.text, ...literals].join("\n")));
    return isDelete ? literals.filter((one) => /^https?:/u.test(one)) : [];
  });
}

/** Servers that manage what runs elsewhere, as far as their names say. */
const MANAGERS = () =>
  /aws|gcp|azure|cloud|kube|k8s|terraform|github|gitlab|vercel|netlify|heroku|digitalocean|render|railway|supabase|neon|docker/iu;

function changesOfServer({ toolName, input }: ToolPolicyEvent): OutsideChange[] {
  if (toolName === "Bash") return [];
  const [, server = "", own = toolName] = /^mcp__(.*?)__(.*)$/su.exec(toolName) ?? [];
  const name = own.replace(/^(?:.*__)/u, "");
  const isManager = MANAGERS().test(server);
  const change = (does: OutsideChange["does"], isCertain = true): OutsideChange[] => [
    { does, what: toolName.replace(/^mcp__/u, ""), kind: "server", isCertain, step: undefined },
  ];
  if (/(?:^|[_-])publish[_-]?(?:package|release|version|image|crate|gem|chart|extension)/iu.test(name))
    return change("publishes");
  if (/(?:^|[_-])create[_-]?release$/iu.test(name) && Reflect.get(Object(input), "draft") !== true)
    return change("publishes", false);
  if (isManager && OPENING_FIELD().test(JSON.stringify(input ?? ""))) return change("publishes", false);
  if (isManager && /^(?:re)?deploy(?![a-z])|^promote/iu.test(name)) return change("deploys");
  if (/terraform|tofu|pulumi/iu.test(server) && /(?:^|[_-])apply(?![a-z])|^up$/iu.test(name)) return change("applies");
  const { method, url, path } = Object(input) as Record<string, unknown>;
  const isValued = oneOfAnyCase("delete")(String(method)) ? isValuedThere(String(url ?? path)) : undefined;
  if (isValued === true || (isValued === false && path !== undefined)) return change("destroys", isValued);
  const value = removedByName(name);
  if (value === undefined || value === "small") return [];
  if (!isManager && (value !== "valued" || isWeak(own))) return removesPeople(own) ? change("destroys", false) : [];
  return change("destroys");
}
