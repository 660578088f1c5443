import { layout } from "../contract/layout.ts";
import { digestOf } from "../kernel/digest.ts";
import { readIfThere } from "../kernel/read-file.ts";

/** The compiled policies of one project as they lie on the disk, each read and digested once. */
export class KeptBundles {
  readonly #home: string;
  readonly #key: string;
  readonly #read = new Map<string, string | undefined>();

  constructor(home: string, key: string) {
    this.#home = home;
    this.#key = key;
  }

  /** Undefined when it is missing or altered. */
  read(digest: string): string | undefined {
    if (this.#read.has(digest)) return this.#read.get(digest);
    const bytes = readIfThere(layout.bundle(this.#home, this.#key, digest));
    const code = bytes !== undefined && digestOf(bytes) === digest ? bytes.toString() : undefined;
    this.#read.set(digest, code);
    return code;
  }
}
