import { testEveryFolder } from "../support/host.ts";

await testEveryFolder("operations/project/update.test.ts");
