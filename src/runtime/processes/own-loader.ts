import { keptCodeOf, LOADER } from "../../contract/kept-code.ts";

/**
 * The loader that started this program, if V8 has kept its code. A worker has the same V8 flags, so the loader can
 * start it, too.
 */
export function loaderOf(program: string): string[] {
  const loader = process.mainModule?.filename ?? "";
  return loader.endsWith(`/${LOADER}`) ? [loader, keptCodeOf(program, "long")] : [];
}
