// node summary.mjs <report.json…>: sums up vitest's JSON reports and names what failed, and what passed only at a second
// try. A suite that did not run counts as a failure.
import { readFileSync } from "node:fs";
import path from "node:path";

const totals = process.argv.slice(2).map(readReport);
console.log("");
for (const { name, failures } of totals) for (const failure of failures) console.log(`failed in ${name}: ${failure}`);
for (const { name, passed, failed, skipped, files } of totals) {
  console.log(`${name}: ${files} files, ${passed} passed, ${failed} failed, ${skipped} skipped`);
}
for (const { secondTries } of totals) for (const row of secondTries) console.log(`needed a second try: ${row}`);
const sum = (key) => totals.reduce((total, report) => total + report[key], 0);
console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
process.exitCode = sum("failed") > 0 ? 1 : 0;

function readReport(file) {
  const name = path.basename(file, ".json");
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { name, files: 0, passed: 0, failed: 1, skipped: 0, failures: ["it did not run"], secondTries: [] };
  }
  const { testResults, numPassedTests: passed, numFailedTests, numPendingTests, numTodoTests } = report;
  // A file that could not be loaded has no tests that could fail.
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  // If a worker dies, vitest calls what it was running neither passed nor failed.
  const unfinished = rowsOf(testResults, (test) => test.status === "pending");
  const failed = numFailedTests + unloaded.length + unfinished.length + (passed + numFailedTests === 0 ? 1 : 0);
  const failures = [
    ...unloaded.map((file) => `${relative(file)}: could not be loaded`),
    ...rowsOf(testResults, (test) => test.status === "failed"),
    ...unfinished.map((row) => `${row.trimEnd()}: did not end`),
  ];
  // vitest leaves the messages of a first try with the row, also when the second one passed.
  const secondTries = rowsOf(testResults, (test) => test.status === "passed" && test.failureMessages?.length > 0);
  const skipped = numPendingTests + numTodoTests;
  return { name, files: testResults.length, passed, failed, skipped, failures, secondTries };
}

function rowsOf(testResults, isWanted) {
  return testResults.flatMap((file) =>
    file.assertionResults
      .filter(isWanted)
      .map((test) => `${relative(file)}: ${test.fullName}\n${indented(test.failureMessages)}`),
  );
}

function relative(file) {
  return path.relative(process.cwd(), file.name);
}

/** The head of each message: the suite's own output above has all of it. */
function indented(messages = []) {
  const lines = messages.flatMap((message) => message.split("\n").slice(0, 12));
  return lines.map((line) => `    ${line}`).join("\n");
}
