import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/model/secret.ts';

const secret = new Secret('quiet-value');

describe('a secret', () => {
  it.each([
    ['as text', () => `${secret}`],
    ['joined to text', () => ['a', secret].join()],
    ['as JSON', () => JSON.stringify({ nested: [secret] })],
    ['inspected', () => inspect({ nested: { secret } }, { depth: 9, showHidden: true })],
    ['formatted', () => format('%s %o %O %j', secret, secret, secret, secret)],
    ['in an error', () => inspect(new Error('failed', { cause: secret }))],
    ['spread and cloned', () => JSON.stringify([{ ...secret }, structuredClone({ ...secret })])],
    ['by its keys', () => Reflect.ownKeys(secret).map(String).join()],
  ])('shows nothing %s', (_way, show) => {
    expect(show()).not.toContain('quiet');
  });

  it('keeps its last value while it cannot be read, and throws where it has none', () => {
    let text: string | undefined;
    const lazy = new Secret(() => {
      if (text === undefined) throw new RangeError('gone');
      return text;
    });
    expect(() => lazy.reveal()).toThrow('gone');
    text = 'quiet';
    expect(lazy.reveal()).toBe('quiet');
    text = undefined;
    expect([lazy.reveal(), lazy.known()]).toEqual(['quiet', ['quiet']]);
  });

  it('returns its value', () => {
    expect([secret.reveal(), String(secret), JSON.stringify(secret)]).toEqual([
      'quiet-value',
      '(secret)',
      '"(secret)"',
    ]);
  });

  it('is read whenever it is used, and remembers what masks need', () => {
    let reads = 0;
    const lazy = new Secret(() => {
      reads += 1;
      return `quiet-${reads}`;
    });
    expect([String(lazy), inspect(lazy), lazy.known(), reads]).toEqual(['(secret)', '(secret)', [], 0]);
    expect([lazy.reveal(), lazy.reveal(), lazy.known()]).toEqual([
      'quiet-1',
      'quiet-2',
      ['quiet-1', 'quiet-2'],
    ]);
  });
});
