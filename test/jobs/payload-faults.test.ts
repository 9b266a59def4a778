import { describe, expect, it } from 'vitest';
import { EnvelopeError, openEnvelope, UnparsedData } from '../../src/jobs/envelope.ts';
import { INGEST_LOCKFILES } from '../../src/jobs/payloads/ingest-lockfiles.ts';

const FILE = { path: 'package-lock.json', content: '{}' };
const GOOD = { scan: 's', target: { id: 't' }, requestedAt: '2026-01-31T06:00:00Z', lockfiles: [FILE] };
const HASH = '0'.repeat(64);

function faultsOf(payload: unknown): readonly string[] {
  try {
    openEnvelope(INGEST_LOCKFILES, { version: 1, key: 's', payload });
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    return error.issues.map(({ path, reason }) => `${path}: ${reason}`);
  }
  throw new Error('it was opened');
}

const withFile = (file: object) => ({ ...GOOD, lockfiles: [FILE, { path: 'a', ...file }] });
const withTarget = (target: object) => ({ ...GOOD, target: { id: 't', ...target } });
const ONE_OF = 'expected one of `content`, `sha256` with `bytes`, or `unread`';

describe('errors of a payload name the path and what is expected', () => {
  it.each([
    ['neither content nor hash', withFile({}), `payload.lockfiles.1: ${ONE_OF}`],
    ['both', withFile({ content: '', sha256: HASH, bytes: 0 }), `payload.lockfiles.1: ${ONE_OF}`],
    ['content with a size', withFile({ content: '', bytes: 0 }), `payload.lockfiles.1: ${ONE_OF}`],
    [
      'content and the reason why it is unread',
      withFile({ content: '', unread: { code: 'a', message: 'b' } }),
      `payload.lockfiles.1: ${ONE_OF}`,
    ],
    ['a hash without a size', withFile({ sha256: HASH }), `payload.lockfiles.1: ${ONE_OF}`],
    [
      'a companion without content',
      withFile({ content: '', companions: [{ name: 'package.json' }] }),
      `payload.lockfiles.1.companions.0: ${ONE_OF}`,
    ],
    [
      'a path that leads out',
      withFile({ path: '../a', content: '' }),
      'payload.lockfiles.1.path: expected a path below the root of the target, without `..`',
    ],
    [
      'a path with backslashes',
      withFile({ path: 'a\\b', content: '' }),
      'payload.lockfiles.1.path: expected a relative path with forward slashes',
    ],
    ['another field', withFile({ content: '', hash: HASH }), 'payload.lockfiles.1: Unrecognized key: "hash"'],
    [
      'content that is no text',
      withFile({ content: 7 }),
      /^payload\.lockfiles\.1\.content: .*expected string/,
    ],
    [
      'a hash in upper case',
      withFile({ sha256: 'A'.repeat(64), bytes: 1 }),
      /sha256: expected a SHA-256 in lower-case/,
    ],
    ['no lockfile', { ...GOOD, lockfiles: [] }, /^payload\.lockfiles: expected a lockfile, or an `image`/],
    [
      'a time without an offset',
      { ...GOOD, requestedAt: '2026-01-31' },
      /^payload\.requestedAt: expected a time by RFC 3339/,
    ],
    ['an id with a space', { ...GOOD, scan: 'a b' }, /^payload\.scan: expected letters, digits/],
    [
      'a control character',
      withTarget({ id: 'a\u001b' }),
      /^payload\.target\.id: expected text without control characters/,
    ],
    [
      'a label that is no text',
      withTarget({ labels: { a: 1 } }),
      /^payload\.target\.labels\.a: .*expected string/,
    ],
    [
      'a label without a name',
      withTarget({ labels: { '': 'x' } }),
      /^payload\.target\.labels\.: its name: .*expected string to have >=1/,
    ],
  ])('%s', (_name, payload, fault) => {
    expect(faultsOf(payload)).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)]);
  });

  it.each([
    ['content', FILE],
    ['a hash', { path: 'a', sha256: HASH, bytes: 1 }],
    ['a reason why it is unread', { path: 'a/', unread: { code: 'not-a-file', message: 'a: not a file' } }],
    [
      'companions',
      {
        ...FILE,
        companions: [
          { name: 'a', content: '' },
          { name: 'b', sha256: HASH, bytes: 1 },
        ],
      },
    ],
  ])('a file with %s is accepted unchanged', (_name, file) => {
    const data = { version: 1, key: 's', payload: { ...GOOD, lockfiles: [file] } };
    expect(openEnvelope(INGEST_LOCKFILES, data).payload.lockfiles).toEqual([file]);
  });

  it('data that is not JSON', () => {
    expect(() => openEnvelope(INGEST_LOCKFILES, new UnparsedData('{', 'it ends too soon'))).toThrow(
      expect.objectContaining({
        code: 'invalid-payload',
        issues: [{ path: '(root)', reason: 'expected JSON: it ends too soon' }],
      }),
    );
  });
});
