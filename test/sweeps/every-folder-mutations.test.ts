import { testEveryFolder } from "../support/host.ts";

await testEveryFolder("project/lock-mutations.test.ts");
