import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveSecret } from '../../src/config/secret-reference.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { Secret } from '../../src/model/secret.ts';
import { createFolderStorage } from '../../src/storage/folder-storage.ts';
import { createS3Storage, type S3Options } from '../../src/storage/s3-storage.ts';
import { ACCESS, startS3 } from './s3-server.ts';

const NAME = '00112233445566778899aabbccddeeff';
const http = createHttpClient({ maxResponseBytes: 1_000, headersTimeoutMs: 200 });
let s3: Awaited<ReturnType<typeof startS3>>;
let folder: string;
beforeAll(async () => {
  s3 = await startS3();
  folder = await mkdtemp(join(tmpdir(), 'ledgers-'));
});
afterAll(async () => {
  await http.close();
  await s3.close();
  await rm(folder, { recursive: true });
});

function bucket(options: Partial<S3Options> = {}) {
  const common = {
    endpoint: `${s3.url}/`,
    region: 'eu-test-1',
    bucket: 'ledgers',
    prefix: 'prod/a_b-1.2/',
    accessKeyId: new Secret(ACCESS.id),
    secretAccessKey: new Secret(ACCESS.secret),
  };
  return createS3Storage({ ...common, ...options }, http);
}

it('a bucket gets the credentials that their files have now', async () => {
  const file = join(folder, 'key');
  await writeFile(file, 'replaced');
  const secretAccessKey = resolveSecret({ file }, 'key', {});
  const storage = bucket({ secretAccessKey });
  await expect(storage.get(NAME)).rejects.toThrow('HTTP 403 SignatureDoesNotMatch');
  await writeFile(file, ACCESS.secret);
  expect(await storage.get(NAME)).toBeUndefined();
  expect(secretAccessKey.known()).toEqual(['replaced', ACCESS.secret]);
});

describe.each([
  ['a folder', () => createFolderStorage(folder, 1_000)],
  ['a bucket', () => bucket()],
  ['a bucket with temporary credentials', () => bucket({ sessionToken: new Secret(ACCESS.token) })],
])('%s', (_, open) => {
  it('returns what was written until it is removed', async () => {
    const storage = open();
    const content = Buffer.from([0, 255, 10, 13, 0]);
    expect(await storage.get(NAME)).toBeUndefined();
    await storage.remove(NAME);
    await storage.put(NAME, content);
    expect(await storage.get(NAME)).toEqual(content);
    await storage.remove(NAME);
    await storage.remove(NAME);
    expect(await storage.get(NAME)).toBeUndefined();
  });

  it('does not return an object that is too large', async () => {
    const storage = open();
    await storage.put(NAME, Buffer.alloc(1_001));
    await expect(storage.get(NAME)).rejects.toMatchObject({ code: 'too-large' });
    await storage.remove(NAME);
  });
});

describe('a bucket', () => {
  it('has the objects under the prefix', async () => {
    await bucket().put(NAME, Buffer.from('a'));
    expect([...s3.objects.keys()]).toEqual([`prod/a_b-1.2/${NAME}`]);
    s3.objects.clear();
  });

  it.each([
    ['another secret', { secretAccessKey: new Secret('other') }, /HTTP 403 SignatureDoesNotMatch$/],
    ['another key', { accessKeyId: new Secret('OTHER') }, /HTTP 403 InvalidAccessKeyId$/],
    ['another region', { region: 'us-east-1' }, /HTTP 403 AuthorizationHeaderMalformed$/],
    ['another bucket', { bucket: 'others' }, /HTTP 404 NoSuchBucket$/],
  ])('refuses %s, and does not say that an object is missing', async (_, options, message) => {
    const storage = bucket(options);
    const calls = [
      () => storage.get(NAME),
      () => storage.put(NAME, Buffer.from('a')),
      () => storage.remove(NAME),
    ];
    for (const call of calls) {
      const error = await call().catch((one: unknown) => one);
      expect(error).toMatchObject({ code: 'refused', message: expect.stringMatching(message) });
      expect(JSON.stringify([error, String(error)])).not.toContain(ACCESS.id);
    }
  });

  it.each(['down', 'silent'] as const)('that is %s is not known to lack an object', async (fault) => {
    s3.state.fault = fault;
    await expect(bucket().get(NAME)).rejects.toThrow();
    await expect(bucket().put(NAME, Buffer.from('a'))).rejects.toThrow();
    delete s3.state.fault;
  });

  it('that another service answers for is not known to lack an object', async () => {
    const other = bucket({ endpoint: `${s3.url}/wrong` });
    await expect(other.get(NAME)).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('a folder', () => {
  it('is not created, and is not known to lack an object when it is not there', async () => {
    const storage = createFolderStorage(join(folder, 'absent'), 1_000);
    await expect(storage.get(NAME)).rejects.toMatchObject({ code: 'not-found' });
    await expect(storage.put(NAME, Buffer.from('a'))).rejects.toMatchObject({ code: 'not-written' });
    await expect(storage.remove(NAME)).rejects.toMatchObject({ code: 'not-written' });
    expect(await readdir(folder)).not.toContain('absent');
  });

  it('loses what a crash left when the object is removed', async () => {
    const storage = createFolderStorage(folder, 1_000);
    await mkdir(join(folder, '00'), { recursive: true });
    await writeFile(join(folder, '00', `${NAME}.tmp`), 'half');
    expect(await storage.get(NAME)).toBeUndefined();
    await storage.remove(NAME);
    expect(await readdir(join(folder, '00'))).toEqual([]);
  });
});
