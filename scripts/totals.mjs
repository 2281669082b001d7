// Prints one last line from vitest's JSON report, `N passed, N failed, N skipped`, and exits with 1 unless the run
// was a success with at least one test passed. Usage: node scripts/totals.mjs report.json
import { readFileSync } from 'node:fs';

const text = readFileSync(process.argv[2], 'utf8');
// An empty report is a run that died before it could write one.
const report =
  text === '' ? { success: false, testResults: [], numPassedTests: 0, numFailedTests: 1 } : JSON.parse(text);
// A file that could not be loaded has no tests to count; it must not read as "0 failed".
const brokenFiles = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((each) => each.status === 'failed'),
).length;
const failed = report.numFailedTests + brokenFiles;
const skipped = (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
console.log(`${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = report.success && failed === 0 && report.numPassedTests > 0 ? 0 : 1;
