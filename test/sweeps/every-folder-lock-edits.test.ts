import { testEveryFolder } from "../support/host.ts";

await testEveryFolder("operations/lock-edits.test.ts");
