import type { BuildOptions, Metafile, Plugin } from "esbuild";
import { bannerOf } from "../../contract/shared-code.ts";
import { confineToCard, SDK, SHARED_SDK } from "./plugins.ts";

/** A policy with less of the SDK has that in its own text: V8 reads all that is there. */
const MUCH_BYTES = 16_384;

/** Whether so much of a compiled policy is the SDK that all of it comes in front, once for the policies that run together. */
export function isMostlySdk(metafile: Metafile | undefined): boolean {
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
  const ofSdk = inputs.filter(([name]) => name.startsWith(`${SDK}:`));
  return ofSdk.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0) > MUCH_BYTES;
}

let made: Promise<string> | undefined;

/** What such a policy begins with. `options` are those that every policy is compiled with. */
export function sdkBanner(options: BuildOptions): Promise<string> {
  made ??= compileSdk(options).then((text) => bannerOf(asFunction(text)));
  return made;
}

async function compileSdk(options: BuildOptions): Promise<string> {
  const { build } = await import("esbuild");
  const confined = confineToCard(
    { files: new Map(), hook: "", capabilities: [] },
    { inputs: new Set(), hints: new Set() },
  );
  const plugins = [entry, confined];
  const built = await build({ ...options, entryPoints: [SHARED_SDK], plugins, minify: true, banner: {} });
  return built.outputFiles?.find(({ path }) => path.endsWith(".cjs"))?.text.trimEnd() ?? "";
}

const entry: Plugin = {
  name: "shared",
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === "entry-point" ? { path, namespace: SDK } : undefined,
    );
  },
};

/** Frozen, and what is in it: policies that share it can change nothing for each other by it. */
const FREEZE =
  "const freeze=(one)=>{if(one===Object(one)&&!Object.isFrozen(one)){Object.freeze(one);Object.values(one).forEach(freeze)}return one};";

function asFunction(text: string): string {
  // The brackets have it compiled at once: it is going to be called.
  return `(function(require){"use strict";const module={exports:{}};${text}\n${FREEZE}return freeze(module.exports)})`;
}
