export { isLifecycleEvent, type LifecycleEvent, powersOf } from "../policy/lifecycle-events.ts";
