import { testEveryFolder } from "../support/host.ts";

await testEveryFolder("operations/project/write-versions.test.ts");
