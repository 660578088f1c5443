export { requireHome } from "../../workspace/find-obstacle.ts";
