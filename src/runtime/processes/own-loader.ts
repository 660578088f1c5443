import { keptCodeOf, LOADER } from "../../contract/kept-code.ts";

/** By what this program was started, where V8 has kept its code: a worker gets the same flags of V8, and can be started so, too. */
export function loaderOf(program: string): string[] {
  const loader = process.mainModule?.filename ?? "";
  return loader.endsWith(`/${LOADER}`) ? [loader, keptCodeOf(program, "long")] : [];
}
