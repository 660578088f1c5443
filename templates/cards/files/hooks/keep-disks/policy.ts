import { defineToolPolicy } from "darwinian-minds/hook-policy";
import {
  changesOf,
  effects,
  kindOfPlace,
  oneOf,
  oneOfAnyCase,
  programCallOf,
  projectOf,
  resolvePlace,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";

/** `format C:`, and what runs a list of such words. */
const WINDOWS = oneOfAnyCase("format format.com diskpart");
/** Programs that change the device that they are given, unless they are told only to look. */
const REPAIRING = oneOf(
  "dcfldd dc3dd ddrescue dd_rescue qemu-img resize2fs tune2fs e2fsck fsck xfs_repair xfs_admin ntfsfix btrfstune",
);
const INSTEAD = "Work on a file with an image of a disk in the project; a person looks after disks";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const project = projectOf(event);
    const device = effects(event).find(
      ({ does, place }) => does !== "reads" && kindOfPlace(place, project) === "device",
    );
    if (device !== undefined)
      return { action: "deny", reason: `This overwrites the device ${device.written}. ${INSTEAD}` };
    const step = steps(event).find((one) => isErasing(one) || repairs(one, project));
    return step === undefined
      ? undefined
      : { action: "deny", reason: `${step.program} erases or partitions storage. ${INSTEAD}` };
  },
});

function repairs({ program, arguments: given, folder, elsewhere }: Step, project: string): boolean {
  if (elsewhere === "container" || (!REPAIRING(program) && !program.startsWith("fsck."))) return false;
  if (program === "qemu-img" && !oneOf("convert dd commit")(given[0] ?? "")) return false;
  const words = given.filter((word) => !/^if=/.test(word));
  // The first of two places is only read.
  const targets = oneOf("ddrescue dd_rescue qemu-img")(program) ? words.slice(-2) : words;
  return (
    !given.some((word) => oneOf("-n -N -l")(word)) &&
    targets.some((word) => kindOfPlace(resolvePlace(word.replace(/^(?:of|out)=/, ""), folder), project) === "device")
  );
}

function isErasing(step: Step): boolean {
  const { program, arguments: given, elsewhere } = step;
  if (elsewhere === "container") return false;
  if (WINDOWS(program)) return given.some((word) => /^(?:[a-z]:|\/s)$/i.test(word));
  const { kind, onlyLooks, words, has } = programCallOf(step);
  if (onlyLooks) return false;
  if (kind !== "disk")
    return (
      oneOfAnyCase("format-volume clear-disk initialize-disk remove-partition dban badblocks")(program) &&
      (program !== "badblocks" || has("w", "n"))
    );
  if (/^(?:mkfs|mke2fs|mkswap|mkdosfs|mkntfs|newfs)/.test(program)) return words.length === 0 || words.some(isDevice);
  if (program === "wipefs") return has("a", "all", "o", "offset", "f", "force");
  if (/[fg]disk$/.test(program)) return words.length > 0;
  return changesOf(step).some(({ does }) => does === "destroys");
}

/** A file system in a file harms no disk. What is unknown may be a device, unless it is a new file. */
function isDevice(word: string): boolean {
  return /^(?:\/dev\/|\$(?!\(mktemp)|\/$)/.test(word);
}
