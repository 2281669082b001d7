// Prints one last line from vitest's JSON reports, `N passed, N failed, N skipped`, and exits with 1 unless each run was a
// success with at least one test passed. Usage: node scripts/totals.mjs report.json [report.json …]
import { readFileSync } from 'node:fs';

const DIED = { success: false, testResults: [], numPassedTests: 0, numFailedTests: 1 };

// An empty report is a run that died before it could write one, or was not begun since one before it failed.
const reports = process.argv.slice(2).map((path) => readFileSync(path, 'utf8'));
const runs = reports.map((text) => (text === '' ? DIED : JSON.parse(text)));
const sum = (count) => runs.reduce((total, run) => total + count(run), 0);

// A file that could not be loaded has no tests to count; it must not read as "0 failed".
const brokenFiles = (run) =>
  run.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((each) => each.status === 'failed'),
  ).length;
const failed = sum((run) => run.numFailedTests + brokenFiles(run));
const skipped = sum((run) => (run.numPendingTests ?? 0) + (run.numTodoTests ?? 0));
console.log(`${sum((run) => run.numPassedTests)} passed, ${failed} failed, ${skipped} skipped`);
const isGood = runs.length > 0 && runs.every((run) => run.success && run.numPassedTests > 0);
process.exitCode = isGood && failed === 0 ? 0 : 1;
