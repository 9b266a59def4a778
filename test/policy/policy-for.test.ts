import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { countedSeverity } from '../../src/model/scan/severity.ts';
import { routeChanges } from '../../src/policy/routing/route-changes.ts';
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

const known = advisories(
  advisoryOf('GHSA-1', { score: 9.8 }),
  advisoryOf('GHSA-2', { aliases: ['MAL-1'], score: 9.8 }),
  advisoryOf('GHSA-3'),
);

async function judged(policy: object, given: Parameters<typeof lockfileOf>[0], labels = {}) {
  const facts = factsOf(inventoryOf(lockfileOf(given)), {
    policy: configSchema.parse({ policy }).policy,
    target: { id: 'shop', labels },
    advisories: known,
  });
  return await findingsOf(facts);
}

describe('levels and severities by label', () => {
  const deprecated = [packageOf('a@1', { resolution: resolved('a', '1', { isDeprecated: true }) })];
  const policy = {
    rules: { deprecated: { level: 'note', severity: 'low' } },
    byLabel: [
      { labels: { tier: 'prod*' }, rules: { deprecated: { level: 'alert' } } },
      { labels: { tier: 'production', team: 'web' }, rules: { deprecated: { severity: 'high' } } },
      { labels: { tier: 'sandbox' }, rules: { deprecated: { level: 'off' } } },
    ],
  };

  it.each<[object, readonly string[]]>([
    [{}, ['note low']],
    [{ tier: 'production' }, ['alert low']],
    [{ tier: 'production', team: 'web' }, ['alert high']],
    [{ tier: 'sandbox' }, []],
    [{ team: 'web' }, ['note low']],
  ])('labels %j', async (labels, expected) => {
    const found = await judged(policy, deprecated, labels);
    expect(found.map(({ level, severity }) => `${level} ${severity}`)).toEqual(expected);
  });
});

describe('packages for development', () => {
  const counted = async (groups: readonly string[], ids: readonly string[], step = 1) => {
    const found = await judged({ developmentStep: step }, [affected('a@1', ids, { groups: [...groups] })]);
    return found.map((finding) => `${finding.severity} ${countedSeverity(finding)}`);
  };

  it.each<[readonly string[], string]>([
    [['dev'], 'critical high'],
    [['dev', 'test'], 'critical high'],
    [[], 'critical critical'],
    [['dev', 'extra'], 'critical critical'],
    [['optional'], 'critical critical'],
  ])('groups %j', async (groups, expected) => {
    expect(await counted(groups, ['GHSA-1'])).toEqual([expected]);
  });

  it('count as low at least, and malware in full', async () => {
    expect(await counted(['dev'], ['GHSA-1'], 3)).toEqual(['critical low']);
    expect(await counted(['dev'], ['GHSA-3'], 1)).toEqual(['unrated low']);
    expect(await counted(['dev'], ['GHSA-2'])).toEqual(['critical critical']);
    expect(await counted(['dev'], ['GHSA-1'], 0)).toEqual(['critical critical']);
  });

  it('count in full where another lockfile installs them always', async () => {
    const facts = factsOf(
      inventoryOf(
        lockfileOf([affected('a@1', ['GHSA-1'], { groups: ['dev'] })]),
        lockfileOf([affected('a@1', ['GHSA-1'])], { path: 'b/package-lock.json' }),
      ),
      { policy: configSchema.parse({ policy: { developmentStep: 1 } }).policy, advisories: known },
    );
    expect((await findingsOf(facts)).map(countedSeverity)).toEqual(['critical']);
  });

  it('a route sends them by what they count as, and their resolution by what was reported', async () => {
    const [finding] = await judged({ developmentStep: 1 }, [
      affected('a@1', ['GHSA-1'], { groups: ['dev'] }),
    ]);
    if (finding === undefined) throw new Error('no finding');
    const routed = async (match: object, change: object) => {
      const rules = [{ name: 'r', mode: 'digest', rest: false, match }] as const;
      const changes = [{ finding, transition: 'opened', ...change }] as never;
      const found = await routeChanges(
        { take: 'all', firstScan: 'all', rules },
        { id: 'x', labels: {} },
        changes,
      );
      return found.length === 1;
    };
    expect(await routed({ minSeverity: 'critical' }, {})).toBe(false);
    expect(await routed({ minSeverity: 'high' }, {})).toBe(true);
    const resolution = { transition: 'resolved', previousSeverity: 'critical' };
    expect(await routed({ minSeverity: 'critical' }, resolution)).toBe(true);
    expect(await routed({ withoutGroups: ['dev', 'test'] }, {})).toBe(false);
    expect(await routed({ withoutGroups: ['test'] }, {})).toBe(true);
    expect(await routed({ direct: true }, {})).toBe(false);
    expect(await routed({ direct: false }, {})).toBe(true);
  });
});
