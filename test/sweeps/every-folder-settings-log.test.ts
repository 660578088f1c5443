import { testEveryFolder } from "../support/host.ts";

await testEveryFolder("trust/settings-log.test.ts");
