export { managedHost } from "../../workspace/managed-host.ts";
