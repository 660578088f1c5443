// Just enough for `tsc` where Node's own types are not installed. With @types/node, remove this file and add
// "types": ["node"] to tsconfig.json.

declare module "node:*";

declare module "*.txt" {
  const text: string;
  export default text;
}

declare module "*.md" {
  const text: string;
  export default text;
}

interface Console {
  debug(...data: unknown[]): void;
  error(...data: unknown[]): void;
  info(...data: unknown[]): void;
  log(...data: unknown[]): void;
  warn(...data: unknown[]): void;
}

declare var console: Console;
declare var process: { readonly env: Record<string, string | undefined>; readonly platform: string };
declare function setTimeout(callback: () => void, milliseconds?: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare function structuredClone<T>(value: T): T;
