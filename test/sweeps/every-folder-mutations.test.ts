import { testEveryFolder } from "../support/host.ts";

await testEveryFolder("operations/mutations.test.ts");
