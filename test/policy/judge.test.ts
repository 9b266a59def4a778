import { describe, expect, it } from 'vitest';
import type { Resolution } from '../../src/model/scan/inventory.ts';
import type { Outcome } from '../../src/model/scan/outcome.ts';
import { RULES } from '../../src/policy/catalog.ts';
import { judge } from '../../src/policy/judge.ts';
import type { Rule } from '../../src/policy/rule.ts';
import {
  advisories,
  advisoryOf,
  affected,
  factsOf,
  findingsOf,
  inventoryOf,
  lockfileOf,
  packageOf,
  resolved,
} from './facts.ts';

const CRITICAL = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';

describe('a vulnerability', () => {
  it('is one finding for each package version and issue, with all its locations', async () => {
    const findings = await findingsOf(
      factsOf(
        inventoryOf(
          lockfileOf([
            packageOf('app@1', { direct: true, dependencies: ['bad@1'], line: 3 }),
            affected('bad@1', ['GHSA-1', 'PYSEC-1'], { line: 9, groups: ['dev'] }),
          ]),
          lockfileOf([affected('bad@1', ['GHSA-1', 'PYSEC-1'], { direct: true, line: 5 })], {
            path: 'web/package-lock.json',
          }),
        ),
        {
          advisories: advisories(
            advisoryOf('GHSA-1', { aliases: ['CVE-1'], score: 9.8, vector: CRITICAL }),
            advisoryOf('PYSEC-1', { aliases: ['CVE-1'], score: 3 }),
          ),
        },
      ),
    );
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      rule: 'vulnerability',
      severity: 'critical',
      title: 'About GHSA-1',
      package: { name: 'bad', version: '1', purl: 'pkg:npm/bad@1', direct: true, groups: [] },
      locations: [
        { path: 'package-lock.json', line: 9, dependencyPath: ['app@1', 'bad@1'] },
        { path: 'web/package-lock.json', line: 5, dependencyPath: ['bad@1'] },
      ],
      advisory: { id: 'GHSA-1', aliases: ['PYSEC-1', 'CVE-1'], score: 9.8, vector: CRITICAL },
    });
    expect(findings[0]?.fingerprint).toMatch(/^[0-9a-f]{32}$/);
  });

  it('has all locations, and a path for the first ten', async () => {
    const bad = affected('bad@1', ['GHSA-1'], { direct: true });
    const files = Array.from({ length: 12 }, (_, index) => lockfileOf([bad], { path: `${index}.json` }));
    const [finding] = await findingsOf(factsOf(inventoryOf(...files)));
    const paths = finding?.locations.map(({ dependencyPath }) => dependencyPath.length);
    expect(paths).toEqual([...Array(10).fill(1), 0, 0]);
  });

  it('whose advisory did not load is reported, unrated', async () => {
    const facts = factsOf(inventoryOf(lockfileOf([affected('bad@1', ['GHSA-1'])])));
    expect(await findingsOf(facts)).toMatchObject([
      { severity: 'unrated', title: 'GHSA-1', advisory: { id: 'GHSA-1' } },
    ]);
  });

  it('counts where one look-up of the same package succeeded and another failed', async () => {
    const failed = packageOf('bad@1', { resolution: { outcome: 'failed', reason: 'timed out' } });
    const facts = factsOf(
      inventoryOf(lockfileOf([failed]), lockfileOf([affected('bad@1', ['GHSA-1'])], { path: 'b.json' })),
    );
    expect((await findingsOf(facts)).map(({ locations }) => locations.length)).toEqual([2]);
  });

  it('has a separate fingerprint for each target, package version and issue', async () => {
    const inventory = inventoryOf(lockfileOf([affected('a@1', ['X-1', 'X-2']), affected('a@2', ['X-1'])]));
    const here = (await findingsOf(factsOf(inventory))).map(({ fingerprint }) => fingerprint);
    const there = await findingsOf(factsOf(inventory, { target: { id: 'other', labels: {} } }));
    expect(new Set([...here, ...there.map(({ fingerprint }) => fingerprint)]).size).toBe(6);
    expect((await findingsOf(factsOf(inventory))).map(({ fingerprint }) => fingerprint)).toEqual(here);
  });
});

describe('the other rules', () => {
  it('find versions that vanished, were never indexed or are deprecated, and nothing in other outcomes', async () => {
    const outcome = (name: string, kind: Outcome, more: Partial<Resolution> = {}) =>
      packageOf(`${name}@1`, { resolution: { outcome: kind, reason: 'so', ...more } });
    const findings = await findingsOf(
      factsOf(
        inventoryOf(
          lockfileOf([
            packageOf('old@1', {
              resolution: resolved('old', '1', { isDeprecated: true, deprecatedReason: 'use new' }),
            }),
            packageOf('mute@1', { resolution: resolved('mute', '1', { isDeprecated: true }) }),
            outcome('gone', 'missing', { seenBefore: true }),
            outcome('new', 'missing'),
            outcome('later', 'failed'),
            outcome('ours', 'private'),
            outcome('other', 'unsupported'),
            packageOf('fine@1'),
          ]),
        ),
      ),
    );
    expect(
      findings.map(({ rule, level, severity, title }) => `${rule} ${level} ${severity} ${title}`),
    ).toEqual([
      'vanished alert high gone@1 is no longer in the package index',
      'unindexed note medium new@1 is not in the package index',
      'deprecated note low mute@1 is deprecated',
      'deprecated note low Deprecated: use new',
    ]);
  });

  it('say in one line why a version is deprecated', async () => {
    const resolution = resolved('old', '1', { isDeprecated: true, deprecatedReason: ' gone\r\n\tuse new\n' });
    const facts = factsOf(inventoryOf(lockfileOf([packageOf('old@1', { resolution })])));
    expect((await findingsOf(facts))[0]?.title).toBe('Deprecated: gone use new');
  });
});

describe('the order of findings', () => {
  it('is worst first, then by score and name, for any order of the packages', async () => {
    const packages = [
      affected('z@1', ['A-HIGH']),
      affected('b@1', ['A-CRIT', 'A-NONE']),
      affected('a@1', ['A-HIGH', 'A-LOW', 'A-LOST']),
      affected('m@1', ['A-HIGHER']),
    ];
    const known = advisories(
      advisoryOf('A-HIGH', { score: 7 }),
      advisoryOf('A-HIGHER', { score: 8 }),
      advisoryOf('A-CRIT', { score: 9.5 }),
      advisoryOf('A-LOW', { score: 1 }),
      advisoryOf('A-NONE', { score: 0 }),
    );
    const order = async (list: typeof packages) =>
      (await findingsOf(factsOf(inventoryOf(lockfileOf(list)), { advisories: known }))).map(
        ({ package: { name }, advisory }) => `${name} ${advisory?.id}`,
      );
    const expected = ['b A-CRIT', 'm A-HIGHER', 'a A-HIGH', 'z A-HIGH', 'a A-LOST', 'a A-LOW', 'b A-NONE'];
    expect(await order(packages)).toEqual(expected);
    expect(await order(packages.toReversed())).toEqual(expected);
  });
});

describe('a rule that fails on a package', () => {
  const names = Array.from({ length: 250 }, (_, index) => `p${index}@1`);
  /** Fails on two packages, and finds each of the others. */
  const failing: Rule = {
    name: 'failing',
    title: 'It fails',
    description: 'Fails.',
    help: { means: '', sure: '', todo: '' },
    readsRecords: true,
    level: 'alert',
    severity: 'low',
    judge({ locked: { name } }) {
      if (['p7', 'p101'].includes(name)) throw new TypeError(`${name} has no colour`);
      return [{ title: name }];
    },
  };

  it('skips only that package, and only for that rule', async () => {
    const facts = factsOf(inventoryOf(lockfileOf(names.map((id) => affected(id, ['GHSA-1'])))));
    const { findings, unjudged } = await judge(facts, [failing, ...RULES]);
    expect(unjudged).toEqual([
      { rule: 'failing', purl: 'pkg:npm/p7@1', reason: 'failed: p7 has no colour' },
      { rule: 'failing', purl: 'pkg:npm/p101@1', reason: 'failed: p101 has no colour' },
    ]);
    const byRule = (rule: string) =>
      findings.filter((finding) => finding.rule === rule).map(({ title }) => title);
    expect(byRule('vulnerability')).toHaveLength(250);
    expect(byRule('failing')).toHaveLength(248);
    expect(new Set(byRule('failing')).size).toBe(248);
  });
});

describe('packages of one name and version', () => {
  it('from another registry have nothing of what is known of the public one', async () => {
    const elsewhere = packageOf('a@1.0.0', {
      id: 'a@1.0.0 (npm.corp.example)',
      line: 9,
      resolution: { outcome: 'private', reason: 'its registry is not public' },
    });
    const known = affected('a@1.0.0', ['GHSA-1'], { line: 2 });
    for (const packages of [
      [known, elsewhere],
      [elsewhere, known],
    ]) {
      const { findings } = await judge(factsOf(inventoryOf(lockfileOf(packages))));
      expect(findings.map(({ locations }) => locations.map(({ line }) => line))).toEqual([[2]]);
    }
    expect((await judge(factsOf(inventoryOf(lockfileOf([elsewhere]))))).findings).toEqual([]);
  });

  it('that differ in capitals are two', async () => {
    const packages = [affected('JSONStream@1.0.0', ['GHSA-1']), affected('jsonstream@1.0.0', ['GHSA-2'])];
    const { findings } = await judge(factsOf(inventoryOf(lockfileOf(packages))));
    expect(findings.map((one) => [one.package.name, one.advisory?.id])).toEqual([
      ['JSONStream', 'GHSA-1'],
      ['jsonstream', 'GHSA-2'],
    ]);
    expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(2);
  });
});
