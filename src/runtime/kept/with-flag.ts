import { setFlagsFromString } from "node:v8";

/** Does the work while V8 runs with a different flag. */
export function withFlag<T>(flag: string, back: string, work: () => T): T {
  setFlagsFromString(flag);
  try {
    return work();
  } finally {
    setFlagsFromString(back);
  }
}
