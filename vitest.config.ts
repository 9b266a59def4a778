import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LIMIT_MS } from './test/until.ts';

// Processes that tests start run the sources: without this, each compiles all of them again.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** Folders whose files run in the same processes: loading the sources for each takes longer than most of their tests. */
const SHARED = [
  'advice',
  'cli',
  'commands',
  'compose',
  'config',
  'discovery',
  'docs',
  'embedded',
  'exploits',
  'files',
  'fleet',
  'http',
  'insights',
  'jobs',
  'model',
  'notify',
  'operations',
  'policy',
  'producer',
  'report',
  'scan',
  'server',
  'store',
  'versions',
  'workers',
];
const shared = SHARED.map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    globalSetup: 'test/prepare.ts',
    // These limits end tests that hang. A busy machine must not fail a test, so they say nothing about speed.
    testTimeout: 2 * LIMIT_MS,
    hookTimeout: 2 * LIMIT_MS,
    expect: { poll: { timeout: LIMIT_MS, interval: 20 } },
    // Three times the cores of the smallest machine: files with real servers and processes wait most of their time.
    maxWorkers: 6,
    projects: [
      // What measures its process, or starts workers that it kills, has a process for each file.
      { extends: true, test: { name: 'processes', include: ['test/**/*.test.ts'], exclude: shared } },
      { extends: true, test: { name: 'shared', include: shared, isolate: false } },
    ],
  },
});
