import { describe, expect, it } from 'vitest';
import {
  addTo,
  createTally,
  dataLossOf,
  isHandful,
  isProven,
  isSingle,
} from '../../src/model/losses/evidence.ts';
import {
  ADVISORY_STATEMENTS,
  compareAnswer,
  doubtOf,
  VERSION_STATEMENTS,
} from '../../src/model/losses/statements.ts';
import type { Known } from '../../src/model/ports/shared-state.ts';
import type { VersionRecordSummary } from '../../src/model/scan/inventory.ts';

type KnownVersion = Known<VersionRecordSummary>;
const RECORD: VersionRecordSummary = {
  versionKey: { system: 'NPM', name: 'left', version: '1.0.0' },
  publishedAt: '2020-01-01T00:00:00Z',
  isDefault: true,
  isDeprecated: true,
  deprecatedReason: 'use right',
  licenses: ['MIT'],
  advisoryIds: ['GHSA-1', 'GHSA-2'],
};
const { publishedAt: _time, deprecatedReason: _reason, ...rest } = RECORD;
const EMPTY: VersionRecordSummary = { ...rest, isDeprecated: false, licenses: [], advisoryIds: [] };
const known = (record: VersionRecordSummary): { readonly record: VersionRecordSummary } => ({ record });
const compare = (before: KnownVersion | undefined, answer: Exclude<KnownVersion, { doubted: unknown }>) =>
  compareAnswer(VERSION_STATEMENTS, before, answer);

describe('an answer', () => {
  it('is known as it is where nothing was known before', () => {
    expect(compare(undefined, known(EMPTY))).toEqual({ known: known(EMPTY), kept: [], lost: [] });
    expect(compare({ missing: true }, known(RECORD)).known).toEqual(known(RECORD));
  });

  it('loses nothing that it states no longer', () => {
    const { known: now, lost } = compare(known(RECORD), known(EMPTY));
    expect(now).toEqual({ record: RECORD, doubted: known(EMPTY) });
    expect(lost.map(({ group, subject }) => `${group}: ${subject}`)).toEqual([
      'NPM advisories: GHSA-1',
      'NPM advisories: GHSA-2',
      'NPM deprecation: left',
      'NPM publication date: left',
      'NPM licences: left',
    ]);
    expect(doubtOf(VERSION_STATEMENTS, now)).toBe(
      'the service no longer states its advisories, deprecation, publication date, licences',
    );
    expect(compare(known(RECORD), { missing: true }).known).toEqual({
      record: RECORD,
      doubted: { missing: true },
    });
  });

  it('without a project status loses none, whatever is proven; another status replaces it', () => {
    const before = known({ ...RECORD, projectStatus: { status: 'quarantined', reason: 'r' } });
    const silent = compareAnswer(VERSION_STATEMENTS, before, known(RECORD), () => true);
    // Nothing is doubted: the answer is as fresh as any.
    expect(silent).toMatchObject({ known: { record: before.record }, lost: [] });
    expect(silent.known).not.toHaveProperty('doubted');
    const active = known({ ...RECORD, projectStatus: { status: 'active' } });
    expect(compare(before, active).known).toEqual(active);
    const lessKnown = compare(before, known(EMPTY)).known;
    expect(lessKnown).toEqual({ record: before.record, doubted: known(EMPTY) });
  });

  it('of imported advisories alone loses nothing that the service stated, whatever is proven', () => {
    const only = { ...EMPTY, advisoryIds: ['MAL-1'], serviceLacks: true } as const;
    const { known: now, lost } = compareAnswer(VERSION_STATEMENTS, known(RECORD), known(only), () => true);
    expect(now).toMatchObject({
      record: { advisoryIds: ['GHSA-1', 'GHSA-2', 'MAL-1'] },
      doubted: known(only),
    });
    expect('record' in now && now.record.serviceLacks).toBeUndefined();
    expect(lost.map(({ group }) => group)).not.toContain('NPM advisories');
    // They may withdraw what they alone stated.
    const fewer = { ...only, advisoryIds: [] };
    expect(compareAnswer(VERSION_STATEMENTS, known(only), known(fewer), () => true).known).toEqual(
      known(fewer),
    );
  });

  it('adds what is new at once, and changes what it replaces', () => {
    const answer = known({ ...RECORD, advisoryIds: ['GHSA-2', 'GHSA-3'], licenses: ['ISC'] });
    const { known: now } = compare(known(RECORD), answer);
    const record = { ...answer.record, advisoryIds: ['GHSA-1', 'GHSA-2', 'GHSA-3'] };
    expect(now).toEqual({ record, doubted: answer });
  });

  it('is compared with what was kept, until it states that again', () => {
    const doubted = compare(known(RECORD), known(EMPTY)).known;
    expect(compare(doubted, known(EMPTY)).known).toEqual(doubted);
    const { known: now, lost, kept } = compare(doubted, known(RECORD));
    expect([now, lost]).toEqual([known(RECORD), []]);
    expect(kept).toContain('NPM advisories');
  });

  it('replaces what is proven, and nothing else', () => {
    const { known: now } = compareAnswer(
      VERSION_STATEMENTS,
      known(RECORD),
      known(EMPTY),
      ({ group }) => group === 'NPM advisories',
    );
    expect(now).toEqual({ record: { ...RECORD, advisoryIds: [] }, doubted: known(EMPTY) });
  });
});

function tallyOf(lost: number, kept: number, group = 'NPM advisories') {
  const tally = createTally(kept === 0 ? {} : { [group]: kept });
  const subjects = Array.from({ length: lost }, (_, index) => ({ group, subject: `GHSA-${index}` }));
  addTo(tally, { kept: [], lost: subjects });
  return tally;
}

describe('a loss', () => {
  it.each([
    [1, 0, false],
    [1, 1, false],
    [1, 9, true],
    [3, 3, false],
    [5, 44, false],
    [5, 45, true],
    [46, 47, false],
    [93, 0, false],
    [10, 90, true],
  ])('of %i subjects beside %i that are kept: proven is %s', (lost, kept, proven) => {
    const tally = tallyOf(lost, kept);
    expect(isProven(tally, 'NPM advisories')).toBe(proven);
    expect(dataLossOf(tally, new Set(proven ? ['NPM advisories'] : []))).toEqual(
      proven ? undefined : { lost, compared: lost + kept, of: ['NPM advisories'] },
    );
  });

  it('of one advisory is one, whatever number of versions it concerned', () => {
    const tally = createTally({ 'NPM advisories': 9 });
    for (let at = 0; at < 40; at += 1)
      addTo(tally, { kept: [], lost: [{ group: 'NPM advisories', subject: 'GHSA-1' }] });
    expect(isProven(tally, 'NPM advisories')).toBe(true);
  });

  it('of a single subject is one that others of any system keep', () => {
    const alone = tallyOf(1, 0, 'PYPI advisories');
    expect(isSingle(alone, 'PYPI advisories')).toBe(false);
    alone.kept.set('NPM advisories', 1);
    expect(isSingle(alone, 'PYPI advisories')).toBe(true);
    expect(isProven(alone, 'PYPI advisories')).toBe(false);
    const several = tallyOf(10, 300, 'PYPI advisories');
    expect(isSingle(several, 'PYPI advisories')).toBe(false);
    expect(isHandful(several, 'PYPI advisories')).toBe(false);
  });
});

describe('an advisory', () => {
  const ADVISORY = { id: 'GHSA-1', url: '', title: 'One', aliases: ['CVE-1', 'CVE-2'], score: 7.5 };
  const compared = (answer: Partial<typeof ADVISORY>) =>
    compareAnswer(ADVISORY_STATEMENTS, { record: ADVISORY }, { record: { ...ADVISORY, ...answer } });

  it('keeps a score that a lower one replaces, and names that others replace', () => {
    const lower = compared({ score: 0, aliases: ['CVE-9'] });
    expect(lower.lost.map(({ group }) => group)).toEqual(['advisory score', 'advisory aliases']);
    expect(lower.known).toMatchObject({ record: ADVISORY });
  });

  it('gets a higher score and more names at once', () => {
    const higher = compared({ score: 9, aliases: ['CVE-1', 'CVE-2', 'CVE-3'] });
    expect(higher.lost).toEqual([]);
    expect(higher.known).toMatchObject({ record: { score: 9, aliases: ['CVE-1', 'CVE-2', 'CVE-3'] } });
  });
});
