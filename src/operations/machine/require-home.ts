export { requireHome } from "../../project/open/check-home.ts";
