import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const folder = mkdtempSync(join(tmpdir(), 'consumer-'));
const installed = join(folder, 'node_modules/lockhound');
const run = (...parameters: readonly string[]) =>
  promisify(execFile)(process.execPath, parameters, { cwd: folder });

/** The package as npm would install it: what is built of it, its data, and its dependencies beside it. */
beforeAll(async () => {
  mkdirSync(installed, { recursive: true });
  await promisify(execFile)(
    process.execPath,
    [TSC, '-p', 'tsconfig.build.json', '--outDir', `${installed}/dist`],
    {
      cwd: ROOT,
    },
  );
  for (const part of ['package.json', 'apis', 'data']) {
    cpSync(join(ROOT, part), join(installed, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  mkdirSync(join(folder, 'node_modules/@types'));
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  cpSync(join(import.meta.dirname, 'fixtures/consumer.ts'), join(folder, 'consumer.ts'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

it('lockhound/testing compiles and runs in the project of a user who checks declarations', async () => {
  const options = ['--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node'];
  await run(TSC, ...options, '--exactOptionalPropertyTypes', 'consumer.ts').catch(
    ({ stdout }: { stdout: string }) => expect.fail(stdout),
  );
  expect((await run('consumer.js')).stdout).toBe('the consumer is content\n');
}, 300_000);
