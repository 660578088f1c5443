import { oneOf } from "../pattern/one-of.ts";

/** What the words in the name of a tool say that it does with a text. */
const STARTS = oneOf(
  "run runs runner exec execute executor eval evaluate start spawn launch invoke schedule trigger terminal shell console bash repl cron job jobs script process container pipeline workflow hook daemon service",
);
const LOOKS = oneOf(
  "search find get list query read fetch lookup look show view describe grep count explain translate summarize summarise",
);
const TELLS = () =>
  /^(?:messages?|comments?|issues?|tickets?|e?mails?|posts?|notes?|pages?|chats?|repl(?:y|ies)|memory|memories|remember|docs?|documents?|articles?|wiki|blog|reviews?|discussions?|notifications?|notify|threads?|slack|discord|browser|fill|translation|summary|summaries)$/u;
/** A field for a text that runs: `onStart`, `before`, `post_install`. */
const RUN_FIELD = () =>
  /^(?:(?:on|before|after|pre|post)(?:_\w+)?|(?:\w+_)?(?:run|runs|exec|execute|hook|entry_?point))$/u;
/** Fields for people, for a search or for a name. */
const LABEL_FIELD = oneOf(
  "title subject name description summary channel to recipient recipients author label labels tag tags query topic pattern regex filter element ref selector url branch base head",
);
/** A field that names a file. */
export const PLACE_FIELD = () => /^(?:\w+_)?(?:path|file|file_?path|filename|uri|notebook_path)$/iu;
/** Fields beside a text that is for people. */
const BESIDE_PROSE = oneOf(
  "title subject channel to recipient recipients author label labels query element ref selector",
);
/** Words of sentences, which commands don't have. */
const SENTENCE = () =>
  /(?:^|\s)(?:the|an?|is|are|was|your?|please|don't|to|of|so|be|never|that|this|with|how|why|by|it)(?=[\s,.!?]|$)/iu;
const CODE_BEGINS = () =>
  /^\s*(?:(?:import|from|const|let|var|def|function|async|await|use|require|with|for|try|if|exec|eval|print|puts)\b|[\w$.]+\s*=[^=]|[\w$]+(?:\.[\w$]+)*\()/u;
const CODE_ENDS = () => /[)\]};'"]\s*$/u;

export type InputFields = readonly (readonly [string, unknown])[];

/** The words of a name: `mcp__box__editNote` has `edit` and `note`, and its server has `box`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(?<=[a-z\d])(?=[A-Z])/gu, "_")
    .toLowerCase()
    .split(/[^a-z\d]+/u);
}

/**
 * Whether a tool that nobody knows may run what is in a field. A tool that starts something may run any text; one that
 * looks for texts, or gives them to people or files, runs only what is in a field for it; any other tool may run a text,
 * unless a title, a recipient or a path is beside it. Nothing runs a label.
 */
export function mayRun(tool: string, field: string, fields: InputFields): boolean {
  if (LABEL_FIELD(field)) return false;
  if (RUN_FIELD().test(field)) return true;
  if (!tool.startsWith("mcp__")) return false;
  const [, server = "", own = ""] = /^mcp__(.*?)__(.*)$/su.exec(tool) ?? [];
  const words = wordsOf(own);
  if (words.some((word) => LOOKS(word))) return false;
  if (words.some((word) => STARTS(word))) return true;
  if ([...words, ...wordsOf(server)].some((word) => TELLS().test(word))) return false;
  return !fields.some(([name]) => BESIDE_PROSE(name) || PLACE_FIELD().test(name));
}

/** Whether a text holds no sentence of a language of people. What is in quotes doesn't count. */
export function isCommandLike(text: string): boolean {
  return !text.includes("```") && !SENTENCE().test(text.replace(/"[^"]*"|'[^']*'/gu, ""));
}

/** Whether a text begins and ends as code does. */
export function isCodeLike(text: string): boolean {
  return CODE_BEGINS().test(text) && CODE_ENDS().test(text) && /[\w\])]\s*\(/u.test(text);
}
