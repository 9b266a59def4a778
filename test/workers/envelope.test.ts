import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EnvelopeError, openEnvelope, sealEnvelope } from '../../src/jobs/envelope.ts';

interface Payload {
  readonly names: readonly string[];
}

/** Version 1 had one `name`; version 2 called it `title`. */
const JOB = {
  name: 'greet',
  version: 3,
  schema: () => z.strictObject({ names: z.array(z.string().min(1)).min(1) }),
  upgrades: {
    1: (payload: unknown) => ({ title: (payload as { name: string }).name }),
    2: (payload: unknown) => ({ names: (payload as { title: string }).title.split(',') }),
  },
  key: ({ names }: Payload) => names.join('+'),
};

function errorOf(data: unknown, job: Parameters<typeof openEnvelope>[0] = JOB as never): EnvelopeError {
  try {
    openEnvelope(job, data);
  } catch (error) {
    if (error instanceof EnvelopeError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

describe('an envelope', () => {
  it('opens to what was sealed', () => {
    const envelope = sealEnvelope(JOB, { names: ['a', 'b'] });
    expect(envelope).toEqual({ version: 3, key: 'a+b', payload: { names: ['a', 'b'] } });
    expect(openEnvelope(JOB, JSON.parse(JSON.stringify(envelope)))).toEqual({
      key: 'a+b',
      payload: { names: ['a', 'b'] },
    });
  });

  it.each([
    [1, { name: 'a,b' }],
    [2, { title: 'a,b' }],
  ])('of version %i is brought up to date step by step', (version, payload) => {
    expect(openEnvelope(JOB, { version, key: 'a+b', payload }).payload).toEqual({ names: ['a', 'b'] });
  });

  it('of a newer release is left to a worker of that release', () => {
    const error = errorOf({ version: 4, key: 'a', payload: { unheard: 'of' } });
    expect(error).toMatchObject({ code: 'newer-version', retryable: true, issues: [{ path: 'version' }] });
  });

  it('of a version without an upgrade says which version to write', () => {
    const { code, message } = errorOf({ version: 1, key: 'a', payload: {} }, {
      ...JOB,
      upgrades: {},
    } as never);
    expect(code).toBe('invalid-payload');
    expect(message).toContain('write 3');
  });

  it('that lacks a field says so', () => {
    expect(errorOf({ key: 'a', payload: {} }).issues).toEqual([
      { path: 'version', reason: 'is missing: expected number' },
    ]);
  });

  it.each([
    ['an older payload that its upgrade trips over', { version: 2, key: 'a', payload: null }, ['payload']],
    ['nothing', undefined, ['(root)']],
    ['text', 'text', ['(root)']],
    ['no version', { key: 'a', payload: {} }, ['version']],
    ['version 0', { version: 0, key: 'a', payload: {} }, ['version']],
    ['a version as text', { version: '3', key: 'a', payload: {} }, ['version']],
    ['an empty key', { version: 3, key: '', payload: {} }, ['key']],
    ['a field too many', { version: 3, key: 'a', payload: { names: ['a'] }, more: 1 }, ['(root)']],
    [
      'a field too many in the payload',
      { version: 3, key: 'a', payload: { names: ['a'], more: 1 } },
      ['payload'],
    ],
    [
      'two faults',
      { version: 3, key: 'a', payload: { names: ['a', 7, ''] } },
      ['payload.names.1', 'payload.names.2'],
    ],
    ['a key of another payload', { version: 3, key: 'b', payload: { names: ['a'] } }, ['key']],
  ])('that is invalid names the path: %s', (_name, data, paths) => {
    const error = errorOf(data);
    expect(error).toMatchObject({ code: 'invalid-payload', retryable: false });
    expect(error.issues.map(({ path }) => path)).toEqual(paths);
    for (const path of paths) expect(error.message).toContain(path);
  });

  it('with many faults shows some of them and their number', () => {
    const error = errorOf({ version: 3, key: 'a', payload: { names: Array.from({ length: 9 }, () => 7) } });
    expect(error.issues).toHaveLength(9);
    expect(error.message).toContain('and 4 more');
  });
});
