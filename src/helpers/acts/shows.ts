import { oneOf } from "../pattern/one-of.ts";
import { optionsOf } from "../programs/options.ts";
import { rowOf } from "../programs/rows.ts";
import { usesOf } from "./code-shows.ts";
import { codeOf } from "./interpreters.ts";
import { isNamer, isQuiet } from "./reads.ts";
import type { Step } from "./steps.ts";

/** Programs that take what they get for themselves, or put it elsewhere, and print something else. */
const TAKERS = oneOf(
  "docker podman nerdctl buildah skopeo crane oras regctl gh glab npm pnpm yarn vercel netlify wrangler kubectl oc gcloud aws az ssh-add pass vault heroku fly flyctl railway supabase op bw passwd chpasswd cosign pbcopy xclip xsel wl-copy clip kubeseal psql mysql mariadb crontab at batch keytool certutil git curl curlie wget wget2 http https xh nc ncat netcat telnet scp sftp rsync ssh mail mailx mutt sendmail cp gcp mv gmv ln install ditto mkdir set local export declare typeset readonly unset trap shift return exit true false : break continue exec eval source . read mapfile readarray xargs parallel sudo doas env nohup time nice find fd gpg2 createdb pg_dump mysqldump cargo make npx split csplit",
);
const INTERPRETERS = () => /^(?:(?:ba|da|z|k|fi)?sh|python[\d.]*|node|perl|ruby|php)$/u;
/** The subcommands of openssl that print a key. */
const OPENSSL = () => /^(?:rsa|dsa|ec|pkey|pkcs8|pkcs12|enc|base64|asn1parse|storeutl|aes.*|des.*)$/u;
const OUTPUT = () => /^(?:-o|-out|-keyout|--out|--output|--out-?file|--output-file|--output-document)(?:$|=)/u;
const ECHOES = oneOf("echo printf print say");

/** What of the things that a command takes is in what it prints. */
export interface Shown {
  input: boolean;
  files: boolean;
  words: boolean;
}

export function shownBy(step: Step): Shown {
  const { program, arguments: given } = step;
  const none = { input: false, files: false, words: false };
  if (program === "") return { input: true, files: true, words: false };
  if (ECHOES(program)) return { ...none, words: true };
  if (program === "tee") return { ...none, input: true };
  if (oneOf("kubectl oc helm")(program))
    return {
      ...none,
      files:
        program === "helm"
          ? given.includes("template")
          : given.some((word) => /^(?:-o|--output)=?(?:ya?ml|json)?$/u.test(word)),
    };
  if (program === "git") return { ...none, files: !given.includes("hash-object") };
  if (
    isNamer(program) ||
    isQuietly(step) ||
    outputOf(step).some((word) => !/^-$|^\/dev\/(?:stdout|tty|fd\/1)$/u.test(word))
  )
    return none;
  if (program === "xargs" && given.every((word) => word.startsWith("-"))) return { ...none, input: true };
  if (TAKERS(program)) return { ...none, files: /^curl/u.test(program) && given.some((word) => /^file:/iu.test(word)) };
  if (program === "openssl")
    return OPENSSL().test(given[0] ?? "") &&
      !given.includes("-pubin") &&
      (given.includes("-text") || !given.some((word) => oneOf("-noout -pubout")(word)))
      ? { ...none, input: true, files: true }
      : none;
  if (program === "tar" || program === "bsdtar") {
    const isPrinting =
      given.some((word, at) => /^-?\w*O|^--to-stdout$/u.test(word) && at < 3) || archiveOf(given) === "-";
    return { ...none, input: isPrinting, files: isPrinting };
  }
  if (oneOf("sed gsed perl")(program) && given.some((word) => /^-[a-zA-Z]*i|^--in-place/u.test(word))) return none;
  if (/^(?:zip|7z\w*|rar|gzip|bzip2|xz|zstd|gunzip)$/u.test(program)) {
    const isOut = given.some((word) => /^-\w*c|^--stdout$|^-so$|^-$/u.test(word));
    return { ...none, input: !/^(?:zip|7z|rar)/u.test(program) || isOut, files: isOut };
  }
  const code = codeOf(step);
  const isEach = oneOf("perl ruby")(code?.language ?? "") && given.some((word) => /^-[a-zA-Z\d]*p/u.test(word));
  if (code !== undefined && code.language !== "other")
    return { ...none, input: true, files: isEach || usesOf(code).prints };
  const takesCode = INTERPRETERS().test(program) && !given.some((word) => /^-\w*[cenprl]|^-m$/u.test(word));
  return { input: !takesCode, files: true, words: program === "jq" || program === "yq" };
}

function isQuietly({ program, arguments: given }: Step): boolean {
  if (/^[efz]?grep$|^rg$|^ag$|^ack$/u.test(program)) return isQuiet(given);
  return oneOf("diff cmp")(program) && given.some((word) => /^-\w*[qs]|^--(?:brief|quiet|silent)$/u.test(word));
}

/** The file that options name for a command's output. */
export function outputOf({ program, arguments: given }: Pick<Step, "program" | "arguments">): string[] {
  if (
    oneOf("grep egrep fgrep zgrep rg ag ack sed awk cat ls ps kubectl oc find sort ssh od")(program) &&
    program !== "sort"
  )
    return [];
  return given.flatMap((word, at) => {
    const [start] = OUTPUT().exec(word) ?? [];
    // Of many clients it is a format.
    const kind = rowOf(program)?.values.get(start?.replace(/^-+|=$/gu, "") ?? "");
    return start === undefined || (kind !== undefined && kind !== "written")
      ? []
      : [start.endsWith("=") ? word.slice(start.length) : (given[at + 1] ?? "")];
  });
}

/** The archive that tar makes; `-`: its output. */
export function archiveOf(given: readonly string[]): string | undefined {
  const isPlain = /^[a-zA-Z]+$/u.test(given[0] ?? "");
  const words = isPlain ? [`-${given[0]}`, ...given.slice(1)] : given;
  const { has, values } = optionsOf(words, { letters: "fCTX", names: ["file", "directory", "exclude"] });
  if (!has("c", "create", "r", "append", "u", "update")) return undefined;
  return values("f", "file")[0] ?? "-";
}

const SUFFIXES: Readonly<Record<string, string>> = {
  gpg: ".gpg .asc",
  gpg2: ".gpg .asc",
  gzip: ".gz",
  bzip2: ".bz2",
  xz: ".xz",
  zstd: ".zst",
};

/** The files that a command makes besides those that it is known to write: archives, and outputs that options name. */
export function madeBy(step: Step): string[] {
  const { program, arguments: given } = step;
  if (program === "split") return [`${optionsOf(given, { letters: "abClntx" }).operands[1] ?? "x"}aa`];
  if (program === "csplit") return [`${optionsOf(given, { letters: "fbn" }).values("f", "prefix")[0] ?? "xx"}00`];
  if (program === "git") return given.includes("hash-object") && given.includes("-w") ? [".git/objects"] : [];
  if (oneOf("tar bsdtar")(program)) return [archiveOf(given) ?? "-"].filter((word) => word !== "-");
  if (/^(?:zip|7z\w*|rar)$/u.test(program))
    return given
      .filter((word) => !word.startsWith("-"))
      .slice(0, 2)
      .filter((word) => /\./u.test(word))
      .slice(0, 1);
  const isOpened = given.some((word) => /^-[a-zA-Z]*d|^--(?:decrypt|decompress|uncompress)$/u.test(word));
  const suffixes = !isOpened && Object.hasOwn(SUFFIXES, program) ? (SUFFIXES[program] ?? "").split(" ") : [];
  const beside = suffixes.flatMap((suffix) =>
    given.filter((word) => !word.startsWith("-")).map((word) => `${word}${suffix}`),
  );
  return [...outputOf(step), ...beside].filter((word) => word !== "" && word !== "-" && !word.startsWith("/dev/"));
}
