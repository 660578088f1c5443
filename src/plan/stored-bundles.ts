import { layout } from "../contract/layout.ts";
import { digestOf } from "../kernel/digest.ts";
import { readIfThere } from "../kernel/read-file.ts";

/** The compiled policies of one project on the disk; reads and digests each only once. */
export class StoredBundles {
  readonly #home: string;
  readonly #key: string;
  readonly #read = new Map<string, string | undefined>();

  constructor(home: string, key: string) {
    this.#home = home;
    this.#key = key;
  }

  /** Undefined if it is missing or altered. */
  read(digest: string): string | undefined {
    if (this.#read.has(digest)) return this.#read.get(digest);
    const bytes = readIfThere(layout.bundle(this.#home, this.#key, digest));
    const code = bytes !== undefined && digestOf(bytes) === digest ? bytes.toString() : undefined;
    this.#read.set(digest, code);
    return code;
  }
}
