import { parentPort, workerData } from "node:worker_threads";
import { countPart, type PartRequest } from "./count-journal.ts";

// The second thread of `countJournal`.
parentPort?.postMessage(countPart(workerData as PartRequest));
