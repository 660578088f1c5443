import { clean } from "../../kernel/text.ts";

/** Folders of programs that every machine has, and of devices. */
const SYSTEM = /^\/(?:dev|proc|(?:usr\/(?:local\/)?)?s?bin)\//u;
const PATH = /^\$?[\w@.~-]*(?:\/[\w@.+-]+)+$/u;
const SCRIPT = /^[\w@-][\w@.-]*\.(?:bash|c?js|mjs|pl|py|rb|sh|ts|zsh)$/u;
/** The substitutions of sed and perl, such as `s/a/b/g`. */
const SUBSTITUTION = /^[sy]\/.*\/[a-z]*$/u;

const MOST = 5;

/** Words in a line of shell or a script that look like files of the machine, in its project or elsewhere. */
export function filesNamedIn(text: string): string[] {
  const words = text.replace(/\$\{(\w+)\}/gu, "$$$1").split(/[\s"'`(){}<>|;&=,[\]]+/u);
  const named = words.filter((word) => (PATH.test(word) || SCRIPT.test(word)) && !SYSTEM.test(word));
  return [...new Set(named)].filter((word) => !SUBSTITUTION.test(word)).slice(0, MOST);
}

/** Consent covers the text that names the file, but not the file's content. */
export function noteOnNamedFile(file: string): string {
  return `it names \`${clean(file, 200)}\`, which does not come with the card: what is there when it runs counts`;
}
