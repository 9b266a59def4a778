import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LIMIT_MS } from './test/until.ts';

// Workers, and processes that tests start, run the sources: without this, each compiles all of them again.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** Files that measure or change their process, or replace what is global. Each has a process of its own. */
const ALONE = [
  'test/simulation/**/*.test.ts',
  'test/lockfiles/{hostile-input,linear-time,threads}.test.ts',
  'test/pipeline/{clock,policy-test}.test.ts',
  'test/sources/git*.test.ts',
];

/** Small files that take long. A fresh clone knows no times and begins with the largest files, so that these would end the run alone. */
const LONG =
  /\/test\/(?:cli\/(?:demo|waits-for-redis)|pipeline\/(?:cluster-failover|real-history))\.test\.ts$/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/prepare.ts',
    // Node itself reads the sources: Vite would transform each of them for every worker.
    experimental: { viteModuleRunner: false },
    // These limits end tests that hang. A busy machine must not fail a test, so they say nothing about speed.
    testTimeout: 2 * LIMIT_MS,
    hookTimeout: 2 * LIMIT_MS,
    expect: { poll: { timeout: LIMIT_MS, interval: 50 } },
    // Twice the cores of the smallest machine: files with real servers and processes wait most of their time. Each more loads the sources.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      // All others share processes: loading the sources for each file takes longer than most of their tests.
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: ALONE, isolate: false },
      },
    ],
  },
});
