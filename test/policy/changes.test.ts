import { describe, expect, it } from 'vitest';
import type { TargetState } from '../../src/model/scan/change.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { Severity } from '../../src/model/scan/severity.ts';
import { type Comparison, compareFindings } from '../../src/policy/changes.ts';
import { fingerprintOf } from '../../src/policy/same-finding.ts';
import { judgedTimes } from '../../src/policy/scan-order.ts';
import { stillOpenAfter } from '../../src/policy/still-open.ts';
import { inventoryOf, lockfileOf } from './facts.ts';

interface Given {
  readonly id?: string;
  readonly names?: readonly string[];
  readonly severity?: Severity;
  readonly path?: string;
}

/** A vulnerability of `name@version`, known under `names`. */
function vulnerabilityOf(
  locked: string,
  { names = ['GHSA-1'], severity = 'medium', path = 'a.json' }: Given = {},
) {
  const [name = '', version = ''] = locked.split('@');
  const purl = `pkg:npm/${locked}`;
  const [id = '', ...aliases] = names;
  return {
    fingerprint: fingerprintOf('shop', 'vulnerability', purl, id),
    rule: 'vulnerability',
    level: 'alert',
    severity,
    title: `About ${id}`,
    package: { ecosystem: 'npm', name, version, purl, direct: true, groups: [] },
    locations: [{ path, dependencyPath: [locked] }],
    advisory: { id, aliases, title: `About ${id}`, url: `https://example.com/${id}` },
  } satisfies Finding;
}

/** An advisory that did not load: only its id is known. */
function unloaded(locked: string, id: string): Finding {
  const finding = vulnerabilityOf(locked, { names: [id], severity: 'unrated' });
  return { ...finding, title: id, advisory: { ...finding.advisory, title: id } };
}

const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}T00:00:00Z`;
const whole = {
  partial: false,
  paths: [],
  stillOpen: () => undefined,
  noteLimit: () => Number.POSITIVE_INFINITY,
};

/** Scans one after the other, a day apart. */
function history() {
  let state: TargetState | undefined;
  let today = 0;
  return {
    async scan(
      findings: readonly Finding[],
      unknown: (finding: Finding) => boolean = () => false,
    ): Promise<Comparison> {
      today += 1;
      const compared = await compareFindings(state, findings, {
        scan: `s${today}`,
        requestedAt: day(today),
        partial: false,
        paths: [],
        stillOpen: (finding) => (unknown(finding) ? finding : undefined),
        noteLimit: () => Number.POSITIVE_INFINITY,
      });
      state = { revision: today, scan: `s${today}`, requestedAt: day(today), findings: compared.tracked };
      return compared;
    },
    state: () => state,
  };
}

const reported = ({ changes }: Comparison) =>
  changes.map(
    ({ transition, finding }) => `${transition} ${finding.package.name}@${finding.package.version}`,
  );

describe('transitions', () => {
  it('are opened, none, resolved and reopened, under one fingerprint', async () => {
    const { scan, state } = history();
    const finding = vulnerabilityOf('a@1');
    expect(reported(await scan([finding]))).toEqual(['opened a@1']);
    expect(reported(await scan([finding]))).toEqual([]);
    expect(state()?.findings).toMatchObject([{ status: 'open', openedAt: day(1), changedAt: day(1) }]);
    expect(reported(await scan([]))).toEqual(['resolved a@1']);
    expect(state()?.findings).toMatchObject([{ status: 'resolved', openedAt: day(1), changedAt: day(3) }]);
    expect(reported(await scan([]))).toEqual([]);
    const back = await scan([finding]);
    expect(reported(back)).toEqual(['reopened a@1']);
    expect(back.tracked).toMatchObject([
      { status: 'open', openedAt: day(5), finding: { fingerprint: finding.fingerprint } },
    ]);
  });

  it.each<[Severity, Severity, boolean]>([
    ['low', 'medium', true],
    ['none', 'low', true],
    ['high', 'critical', true],
    ['high', 'high', false],
    ['critical', 'low', false],
    ['unrated', 'critical', true],
    ['unrated', 'high', true],
    ['unrated', 'medium', false],
    ['unrated', 'low', false],
  ])('from %s to %s: worsened is %s, and the new severity is stored', async (before, after, worsened) => {
    const { scan } = history();
    await scan([vulnerabilityOf('a@1', { severity: before })]);
    const { changes, tracked } = await scan([vulnerabilityOf('a@1', { severity: after })]);
    const change = { transition: 'worsened', previousSeverity: before, finding: { severity: after } };
    expect(changes).toMatchObject(worsened ? [change] : []);
    const reason = worsened && before === 'unrated' ? ['its severity was not known before'] : [];
    expect(changes.flatMap((one) => one.reason ?? [])).toEqual(reason);
    expect(tracked).toMatchObject([{ status: 'open', openedAt: day(1), finding: { severity: after } }]);
  });

  it('an advisory that did not load does not remove a known severity', async () => {
    const { scan } = history();
    await scan([vulnerabilityOf('a@1', { severity: 'low' })]);
    const blind = await scan([vulnerabilityOf('a@1', { severity: 'unrated' })]);
    expect(reported(blind)).toEqual([]);
    expect(blind.findings).toMatchObject([{ severity: 'low' }]);
    expect(reported(await scan([vulnerabilityOf('a@1', { severity: 'low' })]))).toEqual([]);
  });

  it('are sorted by severity, then by name', async () => {
    const { scan } = history();
    const found = [
      vulnerabilityOf('b@1'),
      vulnerabilityOf('z@1', { severity: 'critical' }),
      vulnerabilityOf('a@1'),
    ];
    expect(reported(await scan(found))).toEqual(['opened z@1', 'opened a@1', 'opened b@1']);
    expect(reported(await scan([vulnerabilityOf('c@1', { severity: 'high' })]))).toEqual([
      'resolved z@1',
      'opened c@1',
      'resolved a@1',
      'resolved b@1',
    ]);
  });
});

describe('names of an issue', () => {
  it.each([
    ['a GHSA gets a CVE', ['GHSA-1'], ['GHSA-1', 'CVE-1']],
    ['a PYSEC gets a GHSA', ['PYSEC-1', 'CVE-1'], ['GHSA-1', 'PYSEC-1', 'CVE-1']],
    ['a name is removed', ['GHSA-1', 'PYSEC-1'], ['PYSEC-1']],
  ])('%s: still the same finding', async (_case, before, after) => {
    const { scan } = history();
    const first = vulnerabilityOf('a@1', { names: before });
    await scan([first]);
    const next = await scan([vulnerabilityOf('a@1', { names: after })]);
    expect(reported(next)).toEqual([]);
    expect(next.findings.map(({ fingerprint }) => fingerprint)).toEqual([first.fingerprint]);
    expect(reported(await scan([]))).toEqual(['resolved a@1']);
  });

  it('separate while an advisory does not load, they stay one finding', async () => {
    const { scan } = history();
    await scan([vulnerabilityOf('a@1', { names: ['GHSA-1', 'PYSEC-1'], severity: 'high' })]);
    const apart = await scan([unloaded('a@1', 'GHSA-1'), unloaded('a@1', 'PYSEC-1')]);
    expect(reported(apart)).toEqual([]);
    expect(apart.findings).toMatchObject([{ severity: 'high', advisory: { aliases: ['PYSEC-1'] } }]);
  });

  it('separate for many scans, while one of them does not load, they stay one finding', async () => {
    const { scan } = history();
    await scan([vulnerabilityOf('a@1', { names: ['GHSA-1', 'PYSEC-1', 'CVE-1'], severity: 'high' })]);
    const loaded = vulnerabilityOf('a@1', { names: ['GHSA-1', 'CVE-1'], severity: 'high' });
    const lost = unloaded('a@1', 'PYSEC-1');
    for (let times = 0; times < 3; times += 1) {
      expect(reported(await scan([loaded, lost]))).toEqual([]);
      expect(reported(await scan([lost, loaded]))).toEqual([]);
    }
    expect(reported(await scan([lost, { ...loaded, severity: 'critical' }]))).toEqual(['worsened a@1']);
    expect(reported(await scan([loaded]))).toEqual([]);
    expect(reported(await scan([]))).toEqual(['resolved a@1']);
  });

  it('an advisory that does not load removes no title and no names', async () => {
    const { scan } = history();
    await scan([vulnerabilityOf('a@1', { names: ['GHSA-1', 'CVE-1'], severity: 'unrated' })]);
    expect((await scan([unloaded('a@1', 'GHSA-1')])).findings).toMatchObject([
      { title: 'About GHSA-1', advisory: { aliases: ['CVE-1'] } },
    ]);
  });

  it('that turn out to be two issues are two findings', async () => {
    const { scan } = history();
    await scan([vulnerabilityOf('a@1', { names: ['GHSA-1', 'GHSA-2'] })]);
    const [one, two] = [
      vulnerabilityOf('a@1', { names: ['GHSA-1'] }),
      vulnerabilityOf('a@1', { names: ['GHSA-2'], severity: 'high' }),
    ];
    expect((await scan([one, two])).changes).toMatchObject([
      { transition: 'opened', finding: { advisory: { id: 'GHSA-2' } } },
    ]);
    expect(reported(await scan([one, two]))).toEqual([]);
  });

  it('joined under the worse of two known severities, they are no worse than before', async () => {
    const { scan } = history();
    await scan([
      vulnerabilityOf('a@1', { names: ['GHSA-1'], severity: 'low' }),
      vulnerabilityOf('a@1', { names: ['PYSEC-1'], severity: 'high' }),
    ]);
    const joined = vulnerabilityOf('a@1', { names: ['GHSA-1', 'PYSEC-1'], severity: 'high' });
    expect(reported(await scan([joined]))).toEqual([]);
    expect(reported(await scan([joined, vulnerabilityOf('a@2', { names: ['GHSA-1', 'PYSEC-1'] })]))).toEqual([
      'opened a@2',
    ]);
  });

  it('stored separately and joined later, they become one finding without a notification', async () => {
    const { scan } = history();
    const [ghsa, pysec] = [
      vulnerabilityOf('a@1', { names: ['GHSA-1'] }),
      vulnerabilityOf('a@1', { names: ['PYSEC-1'] }),
    ];
    expect(reported(await scan([ghsa, pysec]))).toEqual(['opened a@1', 'opened a@1']);
    const joined = await scan([vulnerabilityOf('a@1', { names: ['GHSA-1', 'PYSEC-1'] })]);
    expect(reported(joined)).toEqual([]);
    expect(joined.tracked).toMatchObject([{ finding: { fingerprint: ghsa.fingerprint } }]);
    expect(reported(await scan([]))).toEqual(['resolved a@1']);
  });

  it('different issues of one package stay separate', async () => {
    const { scan } = history();
    const [one, two] = [
      vulnerabilityOf('a@1', { names: ['GHSA-1'] }),
      vulnerabilityOf('a@1', { names: ['GHSA-2'] }),
    ];
    await scan([one, two]);
    expect((await scan([two])).changes).toMatchObject([
      { transition: 'resolved', finding: { advisory: { id: 'GHSA-1' } } },
    ]);
  });
});

describe('another version of the package', () => {
  it('with the same issue is the same finding, now at the other version', async () => {
    const { scan } = history();
    const first = vulnerabilityOf('a@1');
    await scan([first]);
    const moved = await scan([vulnerabilityOf('a@2')]);
    expect(reported(moved)).toEqual([]);
    expect(moved.findings).toMatchObject([{ fingerprint: first.fingerprint, package: { version: '2' } }]);
    expect(reported(await scan([vulnerabilityOf('a@2', { severity: 'high' })]))).toEqual(['worsened a@2']);
    expect(reported(await scan([]))).toEqual(['resolved a@2']);
  });

  it('in addition to the first is a separate finding', async () => {
    const { scan } = history();
    await scan([vulnerabilityOf('a@1')]);
    expect(reported(await scan([vulnerabilityOf('a@1'), vulnerabilityOf('a@2')]))).toEqual(['opened a@2']);
    expect(reported(await scan([vulnerabilityOf('a@2')]))).toEqual(['resolved a@1']);
  });

  it('has a separate fingerprint when the first one returns', async () => {
    const { scan } = history();
    await scan([vulnerabilityOf('a@1')]);
    await scan([vulnerabilityOf('a@2')]);
    const both = await scan([vulnerabilityOf('a@1'), vulnerabilityOf('a@2')]);
    expect(reported(both)).toEqual(['opened a@1']);
    expect(new Set(both.findings.map(({ fingerprint }) => fingerprint)).size).toBe(2);
    expect((await scan([vulnerabilityOf('a@1'), vulnerabilityOf('a@2')])).findings).toEqual(both.findings);
  });

  it('to which it goes back is no change, although its finding there was resolved', async () => {
    const { scan, state } = history();
    await scan([vulnerabilityOf('a@2')]);
    await scan([]);
    const reopened = await scan([vulnerabilityOf('a@1')]);
    expect(reported(reopened)).toEqual(['opened a@1']);
    expect(reported(await scan([vulnerabilityOf('a@2')]))).toEqual([]);
    expect(reported(await scan([vulnerabilityOf('a@2')]))).toEqual([]);
    expect(state()?.findings).toMatchObject([
      {
        status: 'open',
        finding: { fingerprint: reopened.findings[0]?.fingerprint, package: { version: '2' } },
      },
    ]);
    expect(reported(await scan([]))).toEqual(['resolved a@2']);
    expect(reported(await scan([vulnerabilityOf('a@2')]))).toEqual(['reopened a@2']);
  });

  it('is a change when the scan could not see whether the first is still present', async () => {
    const { scan, state } = history();
    await scan([vulnerabilityOf('a@1', { path: 'unread.json' })]);
    const unread = ({ locations }: Finding) => locations.some(({ path }) => path === 'unread.json');
    expect(reported(await scan([vulnerabilityOf('a@2')], unread))).toEqual(['opened a@2']);
    expect(state()?.findings.map(({ status }) => status)).toEqual(['open', 'open']);
    expect(
      reported(await scan([vulnerabilityOf('a@1', { path: 'unread.json' }), vulnerabilityOf('a@2')])),
    ).toEqual([]);
  });
});

describe('facts that a scan could not determine', () => {
  it('neither resolves nor changes a finding', async () => {
    const { scan, state } = history();
    await scan([vulnerabilityOf('a@1')]);
    const before = state()?.findings;
    expect(reported(await scan([], () => true))).toEqual([]);
    const seenAt = before?.[0]?.openedAt;
    expect(state()?.findings).toEqual(before?.map((tracked) => ({ ...tracked, lastSeenAt: seenAt })));
    expect(reported(await scan([]))).toEqual(['resolved a@1']);
  });
});

describe('an older scan', () => {
  const later: TargetState = {
    revision: 4,
    scan: 'later',
    requestedAt: '2026-11-02T01:00:00+01:00',
    findings: [],
  };
  const run = (requestedAt: string) =>
    compareFindings(later, [vulnerabilityOf('a@1')], { ...whole, scan: 's', requestedAt });

  it('is superseded and changes nothing', async () => {
    expect(await run('2026-11-01T23:59:59Z')).toMatchObject({
      superseded: true,
      changes: [],
      tracked: later.findings,
    });
  });

  it('depends on the time, not on its notation', async () => {
    expect(await run('2026-11-02T00:00:00Z')).toMatchObject({ superseded: false });
  });
});

describe('the stored state', () => {
  it('keeps all open findings and the last 1,000 resolved ones', async () => {
    const { scan } = history();
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => vulnerabilityOf(`p${from + at}@1`));
    await scan(many(0, 600));
    await scan(many(600, 600));
    const { tracked } = await scan(many(2_000, 1_500));
    const count = (status: string) => tracked.filter((one) => one.status === status).length;
    expect([count('open'), count('resolved')]).toEqual([1_500, 1_000]);
    const oldest = tracked.filter(({ changedAt }) => changedAt === day(2));
    expect(oldest).toHaveLength(400);
  });
});

describe('scans of some of the lockfiles', () => {
  const at = (locked: string, ...paths: readonly string[]): Finding => {
    const finding = vulnerabilityOf(locked);
    return { ...finding, locations: paths.map((path) => ({ path, dependencyPath: [] })) };
  };
  /** Judges scans as `judge-scan` does; each names its lockfiles and was read completely. */
  function judged() {
    let state: TargetState | undefined;
    let revision = 0;
    return async (hour: number, partial: boolean, paths: readonly string[], findings: readonly Finding[]) => {
      revision += 1;
      const requestedAt = `2026-11-01T${String(hour).padStart(2, '0')}:00:00Z`;
      const scan = { scan: `s${revision}`, requestedAt, partial, paths };
      const inventory = inventoryOf(...paths.map((path) => lockfileOf([], { path })));
      const compared = await compareFindings(state, findings, {
        ...scan,
        noteLimit: () => Number.POSITIVE_INFINITY,
        stillOpen: stillOpenAfter(inventory, { partial }),
      });
      if (!compared.superseded) {
        state = {
          revision,
          scan: scan.scan,
          ...judgedTimes(state, scan),
          findings: compared.tracked,
        };
      }
      return { reported: reported(compared), ...compared, state };
    };
  }
  const places = (tracked: Comparison['tracked']) =>
    tracked
      .filter(({ status }) => status === 'open')
      .map(({ finding }) => finding.locations.map(({ path }) => path));

  it('leave findings of the others open, and remove locations that they disprove', async () => {
    const scan = judged();
    await scan(1, false, ['a', 'b'], [at('x@1', 'a', 'b'), at('y@1', 'b')]);
    const partial = await scan(2, true, ['a'], []);
    expect(partial.reported).toEqual([]);
    expect(partial.kept).toBe(2);
    expect(places(partial.tracked)).toEqual([['b'], ['b']]);
    expect((await scan(3, true, ['b'], [at('y@1', 'b')])).reported).toEqual(['resolved x@1']);
    expect((await scan(4, false, ['a'], [])).reported).toEqual(['resolved y@1']);
  });

  it('keep the locations of a finding that they find elsewhere', async () => {
    const scan = judged();
    await scan(1, false, ['a', 'b'], [at('x@1', 'a', 'b')]);
    expect(places((await scan(2, true, ['a'], [at('x@1', 'a')])).tracked)).toEqual([['a', 'b']]);
    expect((await scan(3, true, ['a'], [])).reported).toEqual([]);
    expect((await scan(4, true, ['b'], [])).reported).toEqual(['resolved x@1']);
  });

  it('do not supersede each other when they name different lockfiles', async () => {
    const scan = judged();
    expect((await scan(2, true, ['b'], [at('y@1', 'b')])).reported).toEqual(['opened y@1']);
    expect(await scan(1, true, ['a'], [at('x@1', 'a')])).toMatchObject({
      reported: ['opened x@1'],
      superseded: false,
    });
    expect(await scan(1, true, ['b'], [])).toMatchObject({ reported: [], superseded: true });
  });

  it('are not undone by a full scan that was requested before them', async () => {
    const scan = judged();
    await scan(1, false, ['a', 'b'], [at('x@1', 'a'), at('y@1', 'b')]);
    expect((await scan(3, true, ['a'], [])).reported).toEqual(['resolved x@1']);
    const older = await scan(2, false, ['a', 'b'], [at('x@1', 'a')]);
    expect(older).toMatchObject({ reported: ['resolved y@1'], superseded: false });
    expect(older.state?.requestedAt).toBe('2026-11-01T03:00:00Z');
    expect(await scan(1, true, ['b'], [at('y@1', 'b')])).toMatchObject({ superseded: true });
    expect((await scan(4, false, ['a', 'b'], [])).state?.parts).toBeUndefined();
  });
});

it('matches 20,000 findings of one package at as many versions by looking at each a few times', async () => {
  let reads = 0;
  const counted = (version: string) =>
    Object.defineProperty(vulnerabilityOf(`a@${version}`), 'advisory', {
      get() {
        reads += 1;
        return { id: 'GHSA-1', aliases: [], title: '', url: '' };
      },
    });
  const count = 20_000;
  const remembered = Array.from({ length: count }, (_, index) => ({
    finding: counted(`1.${index}`),
    status: 'open' as const,
    openedAt: day(1),
    changedAt: day(1),
  }));
  const state = { revision: 1, scan: 's', requestedAt: day(1), findings: remembered };
  const found = Array.from({ length: count }, (_, index) => counted(`2.${index}`));
  const { changes } = await compareFindings(state, found, {
    ...whole,
    scan: 't',
    requestedAt: day(2),
  });
  expect(changes).toEqual([]);
  expect(reads).toBeLessThan(100 * count);
});
