import type { BuildOptions, Metafile, Plugin } from "esbuild";
import { sdkBannerOf } from "../../contract/sdk-banner.ts";
import { confineToCard, SDK, SHARED_SDK } from "./plugins.ts";

/** A policy with less of the SDK has it in its own text, since V8 would read all of the shared one. */
const MUCH_BYTES = 16_384;

/** Whether the SDK is so much of a policy that all of it goes in front, once for all policies that run together. */
export function isMostlySdk(metafile: Metafile | undefined): boolean {
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
  const ofSdk = inputs.filter(([name]) => name.startsWith(`${SDK}:`));
  return ofSdk.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0) > MUCH_BYTES;
}

let made: Promise<string> | undefined;

/** What such a policy begins with. `options`: those for compiling every policy. */
export function sdkBanner(options: BuildOptions): Promise<string> {
  made ??= compileSdk(options).then((text) => sdkBannerOf(asFunction(text)));
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

/** Freezes it and everything in it, so that policies that share it can't affect each other through it. */
const FREEZE =
  "const freeze=(one)=>{if(one===Object(one)&&!Object.isFrozen(one)){Object.freeze(one);Object.values(one).forEach(freeze)}return one};";

function asFunction(text: string): string {
  // The parentheses make V8 compile it at once: it will be called.
  return `(function(require){"use strict";const module={exports:{}};${text}\n${FREEZE}return freeze(module.exports)})`;
}
