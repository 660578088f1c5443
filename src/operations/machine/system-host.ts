export { imageHost, systemHost } from "../../workspace/system-host.ts";
