import { codeCacheOf, LOADER } from "../../contract/code-cache.ts";

/**
 * The loader that started this program, if it was started with cached code. A worker has the same V8 flags, so the loader can
 * start it, too.
 */
export function codeCacheLoaderOf(program: string): string[] {
  const loader = process.mainModule?.filename ?? "";
  return loader.endsWith(`/${LOADER}`) ? [loader, codeCacheOf(program, "long")] : [];
}
