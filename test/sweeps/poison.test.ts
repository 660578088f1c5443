import { describePoisons, POISONS } from "../support/poisons.ts";
import { sweep } from "../support/sweep.ts";

describePoisons(sweep(POISONS, 6));
