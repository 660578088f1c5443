import fs from "node:fs";
import path from "node:path";
import { readFormat } from "../../format/read.ts";
import { formatJson } from "../../format/write.ts";
import * as z from "../../format/zod.ts";
import { Problem } from "../../kernel/problem.ts";
import { type PortableConsent, portableConsentSchema } from "./portable-consent.ts";

const schema = z.strictObject({ version: z.literal(1), consents: z.array(portableConsentSchema) });

/** What `drwn trust --export` prints. */
export function printTrustFile(consents: readonly PortableConsent[]): string {
  return formatJson({ version: 1, consents });
}

/**
 * The consents in a file that the machine's owner keeps outside its projects, say on a build machine. A file that is in
 * the project or that others can change proves nobody's consent.
 */
export function readTrustFile(file: string, projectTop: string): PortableConsent[] {
  const fault = faultOf(file, projectTop);
  if (fault === undefined) return readFormat(file, schema).consents;
  throw new Problem("DRWN_TRUST_FILE_UNSAFE", `${file} ${fault}`, {
    hint: "keep it outside of every repository, owned by you, with: chmod go-w",
  });
}

function faultOf(file: string, projectTop: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return "is not there";
  if (!stat.isFile()) return "isn't a regular file";
  const real = fs.realpathSync(file);
  if (real.startsWith(`${projectTop}${path.sep}`))
    return "is inside the project, where whoever can push decides what it says";
  if (isOpen(real)) return "belongs to another user, or can be changed by others";
  const folder = fs.statSync(path.dirname(real));
  const isSticky = (folder.mode & 0o1000) !== 0;
  return (folder.mode & 0o022) !== 0 && !isSticky ? "is in a folder where others can replace it" : undefined;
}

/** Whether others can change it; the administrator's files are as good as one's own. */
function isOpen(file: string): boolean {
  const { uid, mode } = fs.statSync(file);
  return (mode & 0o022) !== 0 || (uid !== 0 && uid !== (process.getuid?.() ?? uid));
}
