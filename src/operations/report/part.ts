import { parentPort, workerData } from "node:worker_threads";
import { countPart, type PartRequest } from "./count-journal.ts";

// The program of the thread that counts a part of a journal.
parentPort?.postMessage(countPart(workerData as PartRequest));
