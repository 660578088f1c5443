export { managedHost } from "../../project/open/managed-host.ts";
