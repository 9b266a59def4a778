import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readBundledData } from '../../src/embedded/insights/data-set.ts';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { checksText } from '../../src/report/gate-text.ts';
import { lockhound } from './lockhound.ts';

let insights: InsightsService;
beforeAll(async () => {
  const { advisories } = await readBundledData();
  // The bundled data has no dates, which are then not known.
  const publishedAt = new Date(Date.now() - 365 * 24 * 3_600_000).toISOString();
  const packageOf = (name: string, versions: readonly string[]) => ({
    ...{ system: 'NPM' as const, name, default: versions.at(-1) ?? '' },
    versions: versions.map((version) => ({ version, publishedAt, license: 'MIT', dependencies: {} })),
  });
  const packages = [packageOf('lodash', ['4.17.20', '4.17.21']), packageOf('ms', ['2.1.2', '2.1.3'])];
  const unrated = {
    ...{ id: 'GHSA-aaaa-bbbb-cccc', title: 'Nobody has rated this', aliases: [], heldBack: false },
    affected: [{ system: 'NPM' as const, name: 'ms', range: '=2.1.2' }],
  };
  insights = await startInsightsService({ data: { packages, advisories: [...advisories, unrated] } });
  vi.stubEnv('LOCKHOUND_INSIGHTS_URL', insights.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await insights.close();
});

describe('lockhound check without a fleet', () => {
  it('exits with 0 when all are allowed', async () => {
    const { code, out, note } = await lockhound(['check', 'ms']);
    expect([code, note]).toEqual([0, '']);
    expect(out).toMatch(/^allow {2}ms → [\d.]+\n/);
    expect(out).toContain('1 package: 1 allowed, 0 with a warning, 0 blocked.');
  });

  it('exits with 1 for a warning, and names the advisories', async () => {
    const { code, out } = await lockhound(['check', 'lodash@4.17.20', 'pkg:npm/ms']);
    expect(code).toBe(1);
    expect(out).toMatch(/warn {3}lodash@4\.17\.20\n {2}high +GHSA-35jh-r3h4-6jhm, high: /);
    expect(out).toMatch(/newest good +4\.\d+\.\d+/);
  });

  it('exits with 2 where something is not known, and nothing is worse', async () => {
    insights.faults.inject({ kind: 'answer', status: 500 }, { times: 1_000 });
    const { code, out } = await lockhound(['check', 'ms@2.1.3']);
    insights.faults.clear();
    expect([code, out]).toEqual([2, expect.stringMatching(/warn {3}ms@2\.1\.3\n {2}unknown +not known: /)]);
  });

  it('never allows an advisory whose severity is not known, and names what it allows', async () => {
    const { code, out } = await lockhound(['check', 'ms@2.1.2']);
    expect(code).toBe(2);
    expect(out).toContain(
      [
        'warn   ms@2.1.2',
        '  unknown     not known: the severity of GHSA-aaaa-bbbb-cccc',
        '  allowed     GHSA-aaaa-bbbb-cccc (medium)',
      ].join('\n'),
    );
  });

  it('prints the answer of the API', async () => {
    const { code, out } = await lockhound(['check', 'lodash@4.17.20', '--json']);
    expect(code).toBe(1);
    const { packages, counts } = JSON.parse(out);
    expect(counts).toEqual({ allow: 0, warn: 1, block: 0 });
    expect(packages).toMatchObject([{ requested: 'lodash@4.17.20', decision: 'warn' }]);
  });

  it('needs a fleet for a target', async () => {
    const { code, note } = await lockhound(['check', 'ms', '--target', 'org/shop']);
    expect([code, note]).toEqual([2, expect.stringContaining('a target needs redis.url or a server')]);
  });
});

describe.each([80, 50])('the text in %i columns', (width) => {
  it('fits, and shows no control character', () => {
    const text = checksText(
      {
        counts: { allow: 0, warn: 0, block: 1 },
        packages: [
          {
            requested: 'evil\u001b[31m@1.0.0',
            decision: 'block',
            version: '1.0.0',
            reasons: [
              {
                code: 'malware',
                decision: 'block',
                advisory: 'MAL-2025-1',
                severity: 'critical',
                text: 'Malicious code that is described at some length\u202e in more words than fit',
              },
            ],
            signals: [],
            advisories: [],
            meant: ['devil', 'evil-but-good'],
            newestGood: { version: '0.9.0' },
            mostUsed: { version: '0.9.0', targets: 3 },
          },
        ],
      },
      { colour: false, width },
    );
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
    for (const hidden of ['\u001b', '\u202e']) expect(text).not.toContain(hidden);
    expect(text).toMatch(/^block {2}evil/);
  });
});
