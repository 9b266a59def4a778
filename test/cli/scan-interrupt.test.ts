import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareEnvironment } from '../bare-environment.ts';
import { LOCKFILE } from '../pipeline/fixtures.ts';
import { MAIN } from '../prepare.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interrupt-'));
  await writeFile(join(folder, 'package-lock.json'), LOCKFILE);
});

afterAll(() => rm(folder, { recursive: true }));

it.each([
  ['is waited for', undefined],
  ['asks for a pause of an hour', { status: 429, headers: { 'retry-after': '3600' } }],
])('a scan ends on SIGINT while a service that %s', async (_what, answer) => {
  const asked = Promise.withResolvers<void>();
  const service = createServer((_request, response) => {
    if (answer !== undefined) response.writeHead(answer.status, answer.headers).end();
    asked.resolve();
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  const command = spawn(process.execPath, [MAIN, 'scan', folder], {
    env: { ...bareEnvironment(), LOCKHOUND_INSIGHTS_URL: `http://127.0.0.1:${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written: Buffer[] = [];
  command.stderr.on('data', (chunk: Buffer) => written.push(chunk));
  command.stdout.on('data', (chunk: Buffer) => written.push(chunk));
  await asked.promise;
  command.kill('SIGINT');
  const [code] = await once(command, 'close');
  service.close().closeAllConnections();
  // A pause that had begun before the signal came is reported; the signal ends it all the same.
  expect(Buffer.concat(written).toString()).toMatch(/^(waiting 300 s \(.*\)\n)?interrupted by SIGINT\n$/);
  expect(code).toBe(130);
});
