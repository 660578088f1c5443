import { testEveryFolder } from "../support/host.ts";

await testEveryFolder("operations/project/trust-silence.test.ts");
