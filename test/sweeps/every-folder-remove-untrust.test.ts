import { testEveryFolder } from "../support/host.ts";

await testEveryFolder("operations/project/remove-untrust.test.ts");
