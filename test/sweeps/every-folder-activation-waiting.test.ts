import { testEveryFolder } from "../support/host.ts";

await testEveryFolder("trust/activation-waiting.test.ts");
