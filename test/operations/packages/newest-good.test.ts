import { describe, expect, it } from 'vitest';
import type { AdviceFacts } from '../../../src/advice/facts.ts';
import { newestGood } from '../../../src/operations/packages/newest-good.ts';

const NOW = Date.parse('2026-06-10T00:00:00Z');
const OLD = '2020-01-01T00:00:00Z';
const NAME = { system: 'NPM', name: 'shop' } as const;

interface Listed {
  readonly publishedAt?: string;
  readonly isDeprecated?: boolean;
  /** What a look-up says. Default: a good version. */
  readonly record?: 'bad' | 'none' | 'fails';
}

/** A package with these versions. */
function factsOf(versions: Readonly<Record<string, Listed>>, isPartial = false) {
  const asked: (readonly string[])[] = [];
  const facts: Pick<AdviceFacts, 'versions' | 'records'> = {
    versions: async () => ({
      versions: Object.entries(versions).map(([version, { record: _, ...one }]) => {
        return { version, publishedAt: OLD, isDefault: false, isDeprecated: false, ...one };
      }),
      ...(isPartial ? { isPartial } : {}),
    }),
    async records(keys) {
      asked.push(keys.map(({ version }) => version));
      return keys.map((versionKey) => {
        const { record } = versions[versionKey.version] ?? {};
        if (record === 'fails') throw new Error('HTTP 500');
        const advisoryIds = record === 'bad' ? ['GHSA-1'] : [];
        const found = { versionKey, isDefault: false, isDeprecated: false, licenses: [], advisoryIds };
        return record === 'none' ? undefined : found;
      });
    },
  };
  return { facts: facts as AdviceFacts, asked };
}

const ask = async (facts: AdviceFacts, minutes = 60) => {
  const cooldown = { minutes, where: '', except: [] };
  return (await newestGood([NAME], { facts, cooldown, now: NOW }))[0];
};

describe('the newest good version', () => {
  it('is past the cooldown, no pre-release, not deprecated, and without advisories', async () => {
    const { facts } = factsOf({
      '1.0.0': {},
      '1.10.0': {},
      '1.9.0': {},
      '1.11.0': { record: 'bad' },
      '2.0.0-rc.1': {},
      '2.0.0': { isDeprecated: true },
      '3.0.0': { publishedAt: new Date(NOW - 60_000).toISOString() },
    });
    expect(await ask(facts)).toMatchObject({ found: { version: '1.10.0' }, unknown: undefined });
  });

  it('is looked up with those of other packages', async () => {
    const { facts, asked } = factsOf({ '1.0.0': {}, '2.0.0': {} });
    const parts = { facts, cooldown: { minutes: 60, where: '', except: [] }, now: NOW };
    const found = await newestGood([NAME, undefined, { ...NAME, name: 'other' }], parts);
    expect(found).toMatchObject([
      { found: { version: '2.0.0' } },
      undefined,
      { found: { version: '2.0.0' } },
    ]);
    expect(asked[0]).toEqual(['2.0.0', '2.0.0']);
  });

  it('is looked up with those of other packages where the newest ones are not good', async () => {
    const { facts, asked } = factsOf({ '1.0.0': {}, '1.5.0': { record: 'bad' }, '2.0.0': { record: 'bad' } });
    const parts = { facts, cooldown: { minutes: 60, where: '', except: [] }, now: NOW };
    const found = await newestGood([NAME, { ...NAME, name: 'other' }], parts);
    expect(found).toMatchObject([{ found: { version: '1.0.0' } }, { found: { version: '1.0.0' } }]);
    expect(asked.filter(({ length }) => length > 2)).toEqual([['1.5.0', '1.0.0', '1.5.0', '1.0.0']]);
  });

  it('is not known of the package alone whose look-up fails', async () => {
    const { facts } = factsOf({ '1.0.0': {}, '2.0.0': { record: 'bad' } });
    const failing: AdviceFacts = {
      ...facts,
      records: async (keys) => {
        if (keys.some(({ name, version }) => name === 'other' && version === '1.0.0'))
          throw new Error('HTTP 500');
        return await facts.records(keys);
      },
    };
    const parts = { facts: failing, cooldown: { minutes: 60, where: '', except: [] }, now: NOW };
    expect(await newestGood([NAME, { ...NAME, name: 'other' }], parts)).toMatchObject([
      { found: { version: '1.0.0' } },
      { found: undefined, unknown: 'HTTP 500' },
    ]);
  });

  it('is not known where the list or a look-up fails', async () => {
    const { facts } = factsOf({ '1.0.0': {}, '2.0.0': { record: 'fails' } });
    expect(await ask(facts)).toMatchObject({ found: undefined, unknown: 'HTTP 500' });
    const failing = { ...facts, versions: async () => await Promise.reject(new Error('HTTP 503')) };
    expect(await ask(failing)).toEqual({ unknown: 'HTTP 503' });
    expect(await ask({ ...facts, versions: async () => undefined })).toBe('unlisted');
  });

  it.each([
    ['without a record', { '2.0.0': { record: 'none' } }, false],
    ['without a date', { '2.0.0': { publishedAt: undefined } }, false],
    ['that a partial list may lack', {}, true],
  ] as const)('may be a newer one %s, which is said beside it', async (_, newer, isPartial) => {
    const { facts } = factsOf({ '1.0.0': {}, ...(newer as object) }, isPartial);
    expect(await ask(facts)).toMatchObject({ found: { version: '1.0.0' }, unknown: expect.any(String) });
  });

  it('is not known where none of the newest ones is good', async () => {
    const many = Array.from({ length: 70 }, (_, index) => [`1.${index}.0`, { record: 'bad' as const }]);
    const { facts } = factsOf(Object.fromEntries(many));
    expect(await ask(facts)).toMatchObject({ found: undefined, unknown: 'none of the newest 61 is good' });
    const { facts: few } = factsOf(Object.fromEntries(many.slice(0, 3)));
    expect(await ask(few)).toMatchObject({ found: undefined, unknown: undefined });
  });

  it('needs no date without a cooldown', async () => {
    const { facts } = factsOf({ '2.0.0': { publishedAt: undefined as never } });
    expect(await ask(facts, 0)).toMatchObject({ found: { version: '2.0.0' }, unknown: undefined });
  });
});
