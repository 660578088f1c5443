import { afterEach, beforeEach } from "vitest";
import { World } from "./world.ts";

/** The world of the case that runs, in a file that calls `inNewWorlds`. */
export let world: World;

/** Gives each case of the file a world of its own. */
export function inNewWorlds(): void {
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.remove());
}

export function replaceWorld(other: World): void {
  world.remove();
  world = other;
}
