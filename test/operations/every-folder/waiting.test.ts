import { testEveryFolder } from "../../support/host.ts";

await testEveryFolder("operations/waiting.test.ts");
