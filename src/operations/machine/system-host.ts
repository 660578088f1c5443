export { managedHost } from "../../workspace/system-host.ts";
