import { oneOf } from "../pattern/one-of.ts";
import { resolvePlace } from "./places.ts";
import type { Step } from "./steps.ts";

interface Mount {
  /** The path in the container. */
  inside: string;
  /** The folder of this machine that is mounted there, as `resolvePlace` gives it. */
  here: string;
  isReadOnly: boolean;
}

/**
 * The folders of this machine that a container gets, and the folder in which it starts:
 * `docker run -v ~/.aws:/aws -w /aws`.
 */
export function mountsOf(step: Step): { mounts: Mount[]; folder: string } {
  const mounts: Mount[] = [];
  let folder = "$container";
  for (let one = step.starter; one !== undefined; one = one.starter) {
    if (!oneOf("docker podman nerdctl docker-compose")(one.program)) continue;
    const { arguments: given, folder: outside } = one;
    given.forEach((word, at) => {
      const [, name = "", joined] = /^(-v|-w|--volume|--workdir|--mount)(?:=?(.+))?$/u.exec(word) ?? [];
      const value = joined ?? given[at + 1] ?? "";
      if (oneOf("-w --workdir")(name)) folder = value;
      else if (name !== "") mounts.push(...mountIn(name === "--mount" ? bindOf(value) : value, outside));
    });
  }
  return { mounts, folder };
}

/** Turns `type=bind,source=/a,target=/b,readonly` into the form of `-v`. */
function bindOf(value: string): string {
  const fields = new Map(
    value.split(",").map((field) => [field.split("=", 1)[0] ?? "", field.replace(/^[^=]*=/u, "")]),
  );
  const from = fields.get("source") ?? fields.get("src") ?? "";
  const to = fields.get("target") ?? fields.get("destination") ?? fields.get("dst") ?? "";
  return fields.has("readonly") || fields.has("ro") ? `${from}:${to}:ro` : `${from}:${to}`;
}

/** Leaves out names without a slash, which are docker's own volumes. */
function mountIn(value: string, outside: string): Mount[] {
  const [, from = "", inside = "", mode = ""] = /^(.+?):(\/[^:]*)(?::(.*))?$/u.exec(value) ?? [];
  if (!/^[~./$`]/u.test(from)) return [];
  const isReadOnly = mode.split(",").includes("ro");
  return [{ inside: resolvePlace(inside, "/"), here: resolvePlace(from, outside), isReadOnly }];
}

/** The place on this machine behind a place in the container; undefined: there is none. */
export function hereOf(place: string, mounts: readonly Mount[]): { place: string; isReadOnly: boolean } | undefined {
  const mount = mounts.find(({ inside }) => place === inside || place.startsWith(inside === "/" ? "/" : `${inside}/`));
  if (mount === undefined) return undefined;
  const below = place.slice(mount.inside === "/" ? 0 : mount.inside.length).replace(/^\//u, "");
  return { place: below === "" ? mount.here : resolvePlace(below, mount.here), isReadOnly: mount.isReadOnly };
}
