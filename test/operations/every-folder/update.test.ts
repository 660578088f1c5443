import { testEveryFolder } from "../../support/host.ts";

await testEveryFolder("operations/update.test.ts");
