import { testEveryFolder } from "../support/host.ts";

await testEveryFolder("project/lock-edits.test.ts");
