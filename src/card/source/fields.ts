import type { JsonPath } from "../../format/json.ts";
import { removeIfEmpty, removeValue, setValue } from "../../format/set-value.ts";
import type { Manifest } from "../manifest.ts";
import { type ChangeOptions, carryOut, planManifestEdit, type SourceChange } from "./change.ts";

type Settable<T> = Exclude<T, undefined> | null;

/** What `setFields` sets; null removes the field, and an absent field stays as it is. */
export interface SourceFields {
  version?: string;
  description?: Settable<Manifest["description"]>;
  license?: Settable<Manifest["license"]>;
  keywords?: Settable<Manifest["keywords"]>;
  repository?: Settable<Manifest["repository"]>;
  author?: Settable<Manifest["author"]>;
  stability?: Settable<Manifest["stability"]>;
  minVersion?: string | null;
  restrictOnly?: boolean | null;
  /** By hook name. */
  capabilities?: Record<string, readonly string[] | null>;
}

/** Sets fields of the manifest. Refuses an invalid value before it writes anything. */
export function setFields(dir: string, fields: SourceFields, options: ChangeOptions = {}): SourceChange[] {
  const edits = listEdits(fields);
  return carryOut(
    planManifestEdit(dir, (text) =>
      edits.reduce((edited, { path, value }) => {
        if (value !== null) return setValue(edited, path, value);
        return removeIfEmpty(removeValue(edited, path), path.slice(0, -1));
      }, text),
    ),
    options,
  );
}

interface FieldEdit {
  path: JsonPath;
  value: unknown;
}

function listEdits({ minVersion, restrictOnly, capabilities = {}, ...plain }: SourceFields): FieldEdit[] {
  const edits: FieldEdit[] = [
    ...Object.entries(plain).map(([name, value]) => ({ path: [name], value })),
    { path: ["harness", "minVersion"], value: minVersion },
    { path: ["hooks", "restrictOnly"], value: restrictOnly },
    ...Object.entries(capabilities).map(([hook, value]) => ({ path: ["hooks", "capabilities", hook], value })),
  ];
  return edits.filter(({ value }) => value !== undefined);
}
