export { isLifecycleEvent, type LifecycleEvent, powersOf } from "../policy/taxonomy.ts";
