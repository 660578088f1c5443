export { systemHost } from "../../workspace/system-host.ts";
