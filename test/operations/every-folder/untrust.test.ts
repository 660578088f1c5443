import { testEveryFolder } from "../../support/host.ts";

await testEveryFolder("operations/untrust.test.ts");
