/** Prints the test files that failed, from the JSON results of Vitest (first argument). Exits with 1 when there are none or too many. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** More than these do not fail by chance. */
const MAX_FILES = 3;

interface Results {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

const { testResults } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Results;
const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name));
if (failed.length === 0 || failed.length > MAX_FILES) {
  console.error(`${failed.length} test files failed: they are not run again`);
  process.exit(1);
}
console.log(failed.join(' '));
