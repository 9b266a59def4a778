import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinAdvisories } from '../../src/policy/rules/vulnerability.ts';
import { advisories, advisoryOf } from './facts.ts';

describe('joining advisories', () => {
  it('joins GHSA, PYSEC and CVE names into one issue, shown under its GHSA id', () => {
    const known = advisories(
      advisoryOf('PYSEC-2026-1', { aliases: ['CVE-2026-1'], score: 9.1 }),
      advisoryOf('GHSA-xxxx-xxxx-xxxx', { aliases: ['CVE-2026-1'], title: 'Takes over', score: 5 }),
    );
    expect(joinAdvisories(['PYSEC-2026-1', 'GHSA-xxxx-xxxx-xxxx'], known)).toEqual([
      {
        id: 'GHSA-xxxx-xxxx-xxxx',
        aliases: ['PYSEC-2026-1', 'CVE-2026-1'],
        title: 'Takes over',
        url: 'https://example.com/GHSA-xxxx-xxxx-xxxx',
        score: 5,
      },
    ]);
  });

  it('takes the score of the first database that has one, and the worst of several of that rank', () => {
    const known = advisories(
      advisoryOf('GHSA-1', { aliases: ['CVE-1'] }),
      advisoryOf('PYSEC-1', { aliases: ['CVE-1'], score: 4 }),
      advisoryOf('RUSTSEC-1', { aliases: ['CVE-1'], score: 6 }),
      advisoryOf('CVE-1', { score: 9.8 }),
    );
    const ids = ['GHSA-1', 'PYSEC-1', 'RUSTSEC-1', 'CVE-1'];
    expect(joinAdvisories(ids, known)).toMatchObject([{ id: 'GHSA-1', score: 6, scoredBy: 'RUSTSEC-1' }]);
    expect(joinAdvisories(['GHSA-1', 'CVE-1'], known)).toMatchObject([{ score: 9.8, scoredBy: 'CVE-1' }]);
  });

  it('joins over names of advisories that were not loaded', () => {
    const known = advisories(
      advisoryOf('GHSA-1', { aliases: ['CVE-1'] }),
      advisoryOf('RUSTSEC-1', { aliases: ['CVE-2'] }),
      advisoryOf('OSV-1', { aliases: ['CVE-1', 'CVE-2'] }),
    );
    const ids = ['GHSA-1', 'RUSTSEC-1', 'OSV-1'];
    expect(joinAdvisories(ids, known)).toHaveLength(1);
    expect(joinAdvisories(['GHSA-1', 'RUSTSEC-1'], known)).toHaveLength(2);
  });

  it('uses title and link of the next name when the first has none', () => {
    const known = advisories(
      advisoryOf('GHSA-1', { aliases: ['PYSEC-1'], title: '', url: '' }),
      advisoryOf('PYSEC-1', { title: 'A title', score: 0 }),
    );
    const [issue] = joinAdvisories(['GHSA-1', 'PYSEC-1'], known);
    expect(issue).toMatchObject({ id: 'GHSA-1', title: 'A title', score: 0 });
    expect(issue?.url).toMatch(/^https:\/\/.*(GHSA|PYSEC)-1$/);
  });

  it('keeps an id whose advisory did not load, alone or under the one that lists it', () => {
    expect(joinAdvisories(['GHSA-1'], new Map())).toEqual([
      { id: 'GHSA-1', aliases: [], title: 'GHSA-1', url: 'https://osv.dev/vulnerability/GHSA-1' },
    ]);
    const known = advisories(advisoryOf('PYSEC-1', { aliases: ['GHSA-1'] }));
    expect(joinAdvisories(['GHSA-1', 'PYSEC-1'], known)).toMatchObject([
      { id: 'GHSA-1', aliases: ['PYSEC-1'], title: 'About PYSEC-1' },
    ]);
  });

  it('ends for aliases with cycles, self-references and duplicates', () => {
    const known = advisories(
      advisoryOf('A-1', { aliases: ['A-1', 'B-1', 'B-1'], score: 4 }),
      advisoryOf('B-1', { aliases: ['A-1', 'C-1'], score: 8 }),
      advisoryOf('C-1', { aliases: ['C-1', 'A-1'] }),
      advisoryOf('D-1', { aliases: ['D-1'] }),
    );
    expect(joinAdvisories(['A-1', 'B-1', 'A-1', 'C-1', 'D-1', 'D-1'], known)).toMatchObject([
      { id: 'A-1', aliases: ['B-1', 'C-1'], score: 8 },
      { id: 'D-1', aliases: [] },
    ]);
  });

  it('returns the same issues for any order of ids, each id in exactly one', () => {
    const names = ['GHSA-1', 'GHSA-2', 'PYSEC-1', 'PYSEC-2', 'CVE-1', 'CVE-2', 'CVE-3'];
    const list = fc.uniqueArray(fc.constantFrom(...names));
    fc.assert(
      fc.property(list, fc.array(list, { maxLength: 7 }), fc.nat(), (ids, aliases, seed) => {
        const known = advisories(
          ...names.flatMap((id, at) => (aliases[at] ? [advisoryOf(id, { aliases: aliases[at] })] : [])),
        );
        const issues = joinAdvisories(ids, known);
        const all = issues.flatMap((issue) => [issue.id, ...issue.aliases]);
        expect(new Set(all).size).toBe(all.length);
        expect(all).toEqual(expect.arrayContaining(ids));
        const turn = ids.length === 0 ? 0 : seed % ids.length;
        expect(joinAdvisories([...ids.slice(turn), ...ids.slice(0, turn)], known)).toEqual(issues);
      }),
    );
  });
});
