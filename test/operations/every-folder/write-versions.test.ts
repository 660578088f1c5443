import { testEveryFolder } from "../../support/host.ts";

await testEveryFolder("operations/write-versions.test.ts");
