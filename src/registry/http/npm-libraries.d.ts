/** The parts of npm's own libraries that drwn uses; they come without types. */
declare module "make-fetch-happen" {
  function fetch(url: string, options: Readonly<Record<string, unknown>>): Promise<fetch.Answer>;
  namespace fetch {
    interface Answer {
      status: number;
      headers: { get(name: string): string | null };
      body: AsyncIterable<Uint8Array>;
    }
  }
  export = fetch;
}

declare module "npm-registry-fetch/lib/auth.js" {
  function getAuth(
    url: string,
    options: Readonly<Record<string, unknown>>,
  ): { token: string | null; auth: string | null; cert: string | null; key: string | null };
  export = getAuth;
}

declare module "@npmcli/config" {
  interface Settings {
    definitions: unknown;
    shorthands: unknown;
    flatten: unknown;
    npmPath: string;
    env: Readonly<Record<string, string | undefined>>;
    argv: readonly string[];
    execPath: string;
    cwd: string;
    warn: boolean;
  }
  class Config {
    constructor(settings: Settings);
    load(): Promise<void>;
    find(key: string): string | null;
    readonly flat: Readonly<Record<string, unknown>>;
    readonly data: ReadonlyMap<string, { data: Readonly<Record<string, unknown>>; source?: string }>;
  }
  export = Config;
}

declare module "@npmcli/config/lib/definitions/index.js" {
  const library: { definitions: unknown; shorthands: unknown; flatten: unknown };
  export = library;
}
