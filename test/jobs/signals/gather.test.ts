import { describe, expect, it } from 'vitest';
import type { IndexedPackage, IndexedVersion } from '../../../src/embedded/insights/data-set.ts';
import { openLocalIndex } from '../../../src/embedded/insights/local-index.ts';
import { gatherFacts } from '../../../src/jobs/signals/gather.ts';
import { createMemoryInspections } from '../../../src/jobs/signals/inspect-now.ts';
import { createProjectLookUp } from '../../../src/jobs/signals/project-scores.ts';
import type { Inspection } from '../../../src/model/signal/inspection.ts';
import { insightsOver } from '../../incidents/replay.ts';
import { unhandledDuring } from '../../unhandled.ts';

const AT = Date.parse('2026-05-11T20:00:00Z');
const HOUR = 3_600_000;
const PROJECT = 'github.com/acme/acme';
const BEFORE: Inspection = { inspectedAt: '', signals: [], unknown: [] };

function packageOf(name: string, dependencies: Readonly<Record<string, string>> = {}): IndexedPackage {
  const links = { SOURCE_REPO: `https://${PROJECT}` };
  const version = (number: string, hours: number): IndexedVersion => ({
    version: number,
    publishedAt: new Date(AT - hours * HOUR).toISOString(),
    dependencies: { ...dependencies },
    links,
  });
  return { system: 'NPM', name, default: '1.0.1', versions: [version('1.0.0', 5_000), version('1.0.1', 1)] };
}

const FINDINGS = [
  { type: 'NEWER', risk: 'RISK_NEWER' },
  {
    type: 'LOW_USAGE',
    risk: 'RISK_MEDIUM',
    lowUsageContext: { alternativePackages: [{ system: 'NPM', name: 'acme-b' }] },
  },
  { risk: 'RISK_MEDIUM', type: '' },
] as const;

/** What is gathered of `acme-a`, and the paths that were asked for. */
async function gathered({
  before,
  at = AT,
  requires,
  findings,
}: {
  readonly before?: Inspection;
  readonly at?: number;
  readonly requires?: readonly string[];
  /** Answers requests for findings. */
  readonly findings?: { readonly status: number; readonly body: string };
}) {
  const scorecard = {
    date: '2026-05-01T00:00:00Z',
    overallScore: 7.1,
    checks: [
      { name: 'Maintained', score: 10 },
      { name: 'Fuzzing', score: -1 },
    ],
  };
  const index = await openLocalIndex({
    data: {
      packages: [
        { ...packageOf('acme-a', { 'acme-b': '^1.0.0', decoy: '^1.0.0' }), findings: [...FINDINGS] },
        packageOf('acme-b'),
        packageOf('decoy'),
      ],
      advisories: [],
      projects: [{ id: PROJECT, scorecard }],
    },
  });
  const asked: string[] = [];
  const { releases } = await insightsOver({
    ...index,
    answer(request) {
      asked.push(request.url.replace(/^.*?v3alpha/, ''));
      if (findings !== undefined && request.url.endsWith('/findingsbatch')) {
        return { ...findings, headers: { 'content-type': 'text/plain' } };
      }
      return index.answer(request);
    },
  });
  const signal = new AbortController().signal;
  const scores = createMemoryInspections().projects;
  const [found] = await gatherFacts(
    [
      {
        package: {
          system: 'NPM',
          name: 'acme-a',
          version: '1.0.1',
          ...(requires === undefined ? {} : { requires: [...requires] }),
        },
        before,
      },
    ],
    {
      releases,
      signal,
      at,
      knowsDigests: async () => false,
      lookUpProjects: createProjectLookUp({ scores, releases, signal, at }),
    },
  );
  if (found === undefined) throw new Error('nothing was gathered');
  expect(found.unknown.map(({ fact }) => fact)).toEqual(findings?.status === 500 ? ['findings'] : []);
  expect(found.retryable).toBeUndefined();
  return { facts: found.facts, asked, score: (await scores.read([PROJECT]))[0] };
}

describe('the facts of a source project', () => {
  it('are its scorecard, which is stored, and the versions of its other packages', async () => {
    const { facts, score } = await gathered({});
    const now = { date: '2026-05-01T00:00:00Z', overall: 7.1, checks: { Maintained: 10 } };
    expect(facts.projects).toMatchObject([{ id: PROJECT, now }]);
    expect(score).toMatchObject({ reference: now, packages: ['NPM:acme-a@1.0.1'] });
    const siblings = facts.siblings?.map(({ name, version }) => `${name} ${version}`).sort();
    expect(siblings).toEqual(['acme-b 1.0.0', 'acme-b 1.0.1', 'decoy 1.0.0', 'decoy 1.0.1']);
  });

  it.each([
    ['a young version, again within hours', BEFORE, AT, true],
    ['a young version, again on the next day', BEFORE, AT + 24 * HOUR, false],
    ['a version that is days old', undefined, AT + 100 * HOUR, false],
  ] as const)('include the siblings of %s: %#', async (_, before, at, includes) => {
    const { facts, asked } = await gathered({ at, ...(before === undefined ? {} : { before }) });
    expect(facts.siblings !== undefined).toBe(includes);
    expect(asked.some((url) => url.includes(':packageversions'))).toBe(includes);
  });
});

describe('what the service says of a version', () => {
  it('is in its facts; one that has no findings, or fails, says nothing', async () => {
    const said = await gathered({});
    expect(said.facts.serviceFindings).toEqual([
      { type: 'NEWER', risk: 'RISK_NEWER' },
      { type: 'LOW_USAGE', risk: 'RISK_MEDIUM', alternatives: ['acme-b'] },
    ]);
    const without = await gathered({ findings: { status: 404, body: 'not found' } });
    expect(without.facts).not.toHaveProperty('serviceFindings');
    const failing = await gathered({ findings: { status: 500, body: 'internal error' } });
    expect(failing.facts).not.toHaveProperty('serviceFindings');
    expect(failing.facts.details?.size).toBe(2);
  });
});

describe('how much a new direct package and those with similar names are used', () => {
  /** Facts of `leftpadd`, where requests for some paths fail. */
  async function likeness(fails: RegExp) {
    const index = await openLocalIndex({
      data: {
        packages: [{ ...packageOf('leftpadd'), similar: ['leftpad'] }, packageOf('leftpad')],
        advisories: [],
        projects: [],
      },
    });
    const { releases } = await insightsOver({
      ...index,
      answer(request) {
        if (!fails.test(decodeURIComponent(request.url))) return index.answer(request);
        return { status: 403, body: 'forbidden', headers: { 'content-type': 'text/plain' } };
      },
    });
    const signal = new AbortController().signal;
    const [found] = await gatherFacts(
      [
        {
          package: { system: 'NPM', name: 'leftpadd', version: '1.0.1', newDirect: true },
          before: undefined,
        },
      ],
      { releases, signal, at: AT, knowsDigests: async () => false },
    );
    return { facts: found?.facts, unknown: found?.unknown.map(({ fact }) => fact) };
  }

  it('is not known where a look-up fails, and never little', async () => {
    const own = await likeness(/leftpadd\/versions\/[^:]+:dependents/);
    expect(own.unknown).toEqual(['dependents']);
    expect(own.facts).not.toHaveProperty('similar');
    const names = await likeness(/:similarlyNamedPackages/);
    expect(names.unknown).toEqual(['similar names']);
    expect(names.facts).not.toHaveProperty('similar');
    const other = await likeness(/leftpad\/versions\/[^:]+:dependents/);
    expect(other.unknown).toEqual(['similar names']);
    expect(other.facts?.similar).toContainEqual({ name: 'leftpad', isUnknown: true });
    const all = await likeness(/nothing/);
    expect(all.unknown).toEqual([]);
    expect(all.facts?.similar?.map(({ name }) => name)).toContain('leftpad');
  });
});

describe('what a version requires for the first time', () => {
  it('is read as far as fifty packages, and what is left is not known', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `added-${String(at).padStart(2, '0')}`);
    const added = Object.fromEntries(names.map((name) => [name, '^1.0.0']));
    const young = packageOf('acme-a');
    const [old, last] = young.versions;
    const dependencies = { ...added, zebra: 'git+https://example.com/zebra.git' };
    const index = await openLocalIndex({
      data: {
        packages: [
          { ...young, versions: [old, { ...last, dependencies }] as IndexedVersion[] },
          ...names.map((name) => packageOf(name)),
        ],
        advisories: [],
        projects: [],
      },
    });
    const { releases } = await insightsOver(index);
    const signal = new AbortController().signal;
    const [found] = await gatherFacts(
      [{ package: { system: 'NPM', name: 'acme-a', version: '1.0.1' }, before: undefined }],
      { releases, signal, at: AT, knowsDigests: async () => false },
    );
    const required = found?.facts.newRequirements ?? [];
    expect(required.map(({ name }) => name)).toContain('zebra');
    expect(required.filter((one) => 'releases' in one)).toHaveLength(50);
    expect(found?.unknown).toEqual([{ fact: 'requirements', reason: 'only 50 of 61 new ones' }]);
  });
});

describe('the edges of a lockfile', () => {
  it('are compared with what the version states, and with its graph where one is lacking', async () => {
    const complete = await gathered({ requires: ['acme-b', 'decoy', 'other'] });
    expect(complete.facts.unlocked).toEqual([]);
    expect(complete.asked.some((url) => url.includes(':dependencies'))).toBe(false);
    expect((await gathered({ requires: ['acme-b'] })).facts.unlocked).toEqual(['decoy']);
    expect((await gathered({})).facts.unlocked).toBeUndefined();
  });
});

it('leaves no rejection that nobody handles when an inspection again is aborted', async () => {
  const index = await openLocalIndex({
    data: { packages: [packageOf('acme-a')], advisories: [], projects: [] },
  });
  const end = new AbortController();
  const insights = await insightsOver(index);
  const list = async () => {
    end.abort(new Error('the lock was lost'));
    throw end.signal.reason;
  };
  const releases = { ...insights.releases, list };
  const subject = { package: { system: 'NPM' as const, name: 'acme-a', version: '1.0.1' }, before: BEFORE };
  const options = { releases, signal: end.signal, at: AT, knowsDigests: async () => true };
  const unhandled = await unhandledDuring(() =>
    expect(gatherFacts([subject], options)).rejects.toThrow('the lock was lost'),
  );
  expect(unhandled).toEqual([]);
});
