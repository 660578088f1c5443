import { testEveryFolder } from "../../support/host.ts";

await testEveryFolder("operations/silence.test.ts");
