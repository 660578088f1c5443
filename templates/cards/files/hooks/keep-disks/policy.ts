import { defineToolPolicy } from "darwinian-minds/hook-policy";
import {
  effects,
  kindOfPlace,
  mentions,
  once,
  optionsOf,
  projectOf,
  resolvePlace,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";

/** `format C:`, and what runs a list of such words. */
const WINDOWS = /^(?:format(?:\.com)?|diskpart)$/i;
const DISKS =
  /mk|wipe|\bdd\b|lv|vg|pv|z(?:pool|fs)|disk|part|blk|hdparm|nvme|crypt|shred|\/dev\/|badblocks|format|btrfs|2fs|fsck|xfs|ntfs|qemu|rescue|mdadm|fdisk|dmsetup|Clear-Disk|Volume|tee|cat|cp|of=/i;
/** Programs that do nothing but make, erase or divide storage. */
const ERASING = once(
  () =>
    /^(?:mkfs(?:\..+)?|mke2fs|mkswap|mkdosfs|mkntfs|newfs\w*|wipefs|blkdiscard|lvremove|lvreduce|vgremove|vgreduce|pvremove|pvcreate|vgcreate|lvconvert|Format-Volume|Clear-Disk|Initialize-Disk|Remove-Partition|nwipe|dban|sgdisk|sfdisk|cfdisk|gdisk)$/i,
);
/** By program, the words that erase. */
const ERASING_VERBS = once(
  (): Readonly<Record<string, RegExp>> => ({
    zpool: /^(?:destroy|labelclear|create)$/,
    zfs: /^(?:destroy|rollback)$/,
    diskutil: /^(?:erase\w*|zeroDisk|randomDisk|secureErase|partitionDisk|reformat|apfs)$/i,
    parted: /^(?:mklabel|mktable|mkpart|rm|resizepart)$/,
    cryptsetup: /^(?:luksFormat|erase|luksErase|luksRemoveKey|luksKillSlot|reencrypt)$/,
    nvme: /^(?:format|sanitize|delete-ns)$/,
    hdparm: /^--(?:security-erase(?:-enhanced)?|trim-sector-ranges|make-bad-sector|write-sector)$/,
    mdadm: /^--(?:zero-superblock|remove|fail|create)$/,
    btrfs: /^(?:delete|del)$/,
    dmsetup: /^(?:remove|remove_all|wipe_table)$/,
    lvm: /^(?:lvremove|vgremove|pvremove)$/,
    badblocks: /^-\w*[wn]/,
    tmutil: /^(?:delete|deletelocalsnapshots)$/,
    vssadmin: /^delete$/i,
  }),
);
/** Programs that change the device that they are given, unless they are told only to look. */
const MENDING =
  /^(?:dcfldd|dc3dd|ddrescue|dd_rescue|qemu-img|resize2fs|tune2fs|e2fsck|fsck(?:\..+)?|xfs_repair|xfs_admin|ntfsfix|btrfstune)$/;
const INSTEAD = "Work on a file with an image of a disk in the project; a person looks after disks";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (!mentions(event, DISKS)) return undefined;
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
  if (elsewhere === "container" || !MENDING.test(program)) return false;
  if (program === "qemu-img" && !/^(?:convert|dd|commit)$/.test(given[0] ?? "")) return false;
  const words = given.filter((word) => !/^if=/.test(word));
  // The first of two places is only read.
  const targets = /^(?:ddrescue|dd_rescue|qemu-img)$/.test(program) ? words.slice(-2) : words;
  return (
    !given.some((word) => /^-[nNl]$/.test(word)) &&
    targets.some((word) => kindOfPlace(resolvePlace(word.replace(/^(?:of|out)=/, ""), folder), project) === "device")
  );
}

function isErasing({ program, arguments: given, elsewhere }: Step): boolean {
  if (elsewhere === "container") return false;
  const { has, operands } = optionsOf(given);
  if (has("help", "version", "dry-run", "no-act", "V") || given.includes("-h")) return false;
  if (WINDOWS.test(program)) return given.some((word) => /^(?:[a-z]:|\/s)$/i.test(word));
  if (program === "fdisk") return operands.length > 0 && !has("l", "list", "s", "x");
  if (ERASING().test(program)) {
    if (
      /^s?g?disk$|^sfdisk$/.test(program) &&
      has("p", "print", "l", "list", "d", "dump", "J", "json", "v", "verify", "i", "info")
    )
      return false;
    if (program === "wipefs") return has("a", "all", "o", "offset", "f", "force");
    // A file system in a file harms no disk.
    return !/^mk/.test(program) || operands.length === 0 || operands.some((word) => /^(?:\/dev\/|\$|\/$)/.test(word));
  }
  const verbs = Object.hasOwn(ERASING_VERBS(), program) ? ERASING_VERBS()[program] : undefined;
  return (
    verbs !== undefined && given.some((word) => verbs.test(word)) && !(program === "diskutil" && given.includes("list"))
  );
}
