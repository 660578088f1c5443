import { testEveryFolder } from "../../support/host.ts";

await testEveryFolder("operations/settings-log.test.ts");
