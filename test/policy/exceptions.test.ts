import { describe, expect, it } from 'vitest';
import type { Exception } from '../../src/model/scan/exception.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { Resolution } from '../../src/model/scan/inventory.ts';
import { type ExceptionFacts, judgeExceptions } from '../../src/policy/exceptions/judge.ts';

const NOW = Date.parse('2026-06-10T00:00:00Z');

/** `name@version` of npm, with what is known of it. */
function locked(id: string, record: object | undefined, outcome: Resolution['outcome'] = 'resolved') {
  const [name = '', version = ''] = id.split('@');
  const resolution = { outcome, ...(record === undefined ? {} : { record: { advisoryIds: [], ...record } }) };
  return {
    ...{ ecosystem: 'npm', name, version, purl: `pkg:npm/${id}` },
    resolution: resolution as unknown as Resolution,
  };
}

function lockfile(packages: ReturnType<typeof locked>[], more: object = {}) {
  return { path: 'web/pnpm-lock.yaml', format: 'pnpm-lock', packages, problems: [], ...more };
}

function finding(
  id: string,
  aliases: string[],
  about: ReturnType<typeof locked>,
  more: object = {},
): Finding {
  const advisory = { id, aliases, title: 't', url: 'u' };
  const locations = [{ path: 'web/pnpm-lock.yaml', dependencyPath: [] }];
  return { title: 't', advisory, locations, package: about, ...more } as unknown as Finding;
}

function exception(parts: Partial<Exception>): Exception {
  return {
    kind: 'override',
    path: 'web/package.json',
    setting: 's',
    subject: 'x',
    ecosystem: 'npm',
    ...parts,
  };
}

function verdictOf(parts: Partial<Exception>, facts: Partial<ExceptionFacts> = {}) {
  const [first, ...others] = facts.lockfiles ?? [lockfile([])];
  const lockfiles = [{ ...first, exceptions: [exception(parts)] }, ...others];
  const judged = judgeExceptions({ complete: true, now: NOW, ...facts, lockfiles } as ExceptionFacts);
  const one = judged.find(({ kind }) => kind === (parts.kind ?? 'override'));
  return [one?.verdict, one?.evidence, one?.removableFrom];
}

describe('a rule of updates', () => {
  it('is needed where it is about a whole ecosystem, also without a lockfile', () => {
    const rule = { kind: 'update-rule', path: '.github/dependabot.yml', ecosystem: 'cargo' } as const;
    const limit = { ...rule, setting: 'open-pull-requests-limit', subject: 'cargo', value: '0' };
    expect(verdictOf(limit)).toEqual(['needed', 'it holds off updates of all packages (0)', undefined]);
    const all = { ...rule, setting: 'ignore', subject: '*', package: '*', value: '' };
    expect(verdictOf(all)).toEqual(['needed', 'it holds off updates of all packages (*)', undefined]);
    const one = { ...all, subject: 'serde', package: 'serde' };
    expect(verdictOf(one)[0]).toBe('unknown');
    const some = { ...rule, setting: 'packageRules', subject: 'matchFileNames ci/*', value: 'no updates' };
    expect(verdictOf(some)[0]).toBe('unknown');
  });
});

it('a registry is needed where packages of its ecosystem are locked, with a scope those of the scope', () => {
  const registry = {
    kind: 'registry',
    setting: '.npmrc',
    subject: 'registry',
    value: 'https://r.example',
  } as const;
  const facts = { lockfiles: [lockfile([locked('a@1.0.0', {})])] };
  expect(verdictOf(registry, facts)[0]).toBe('needed');
  expect(verdictOf({ ...registry, package: '@s/*' }, facts)[0]).toBe('unknown');
  expect(verdictOf({ ...registry, ecosystem: 'pypi' }, facts)[0]).toBe('unknown');
  expect(verdictOf({ ...registry, setting: 'tool.uv.index' }, facts)[0]).toBe('unknown');
});

describe('an ignored advisory', () => {
  const ignored = { kind: 'ignored-advisory', advisory: 'CVE-2024-1', subject: 'CVE-2024-1' } as const;
  const sound = locked('a@1.0.0', {});
  const hit = locked('b@1.0.0', { advisoryIds: ['GHSA-b'] });

  it('is needed where it has a locked package, by any of its names', () => {
    const facts = { lockfiles: [lockfile([sound, hit])], findings: [finding('GHSA-b', ['CVE-2024-1'], hit)] };
    expect(verdictOf(ignored, facts)).toEqual(['needed', 'CVE-2024-1 affects pkg:npm/b@1.0.0', undefined]);
  });

  it('is removable only where the advisories of all packages are known', () => {
    const none = ['removable', 'CVE-2024-1 affects none of 1 locked packages', undefined];
    expect(verdictOf(ignored, { lockfiles: [lockfile([sound])], findings: [] })).toEqual(none);
    const unknown = (facts: Partial<ExceptionFacts>, parts: object = {}) =>
      expect(verdictOf({ ...ignored, ...parts }, facts)[0]).toBe('unknown');
    unknown({ lockfiles: [lockfile([sound])] });
    unknown({ lockfiles: [lockfile([])], findings: [] });
    for (const outcome of ['missing', 'failed', 'uncovered', 'unsupported'] as const)
      unknown({ lockfiles: [lockfile([sound, locked('c@1.0.0', undefined, outcome)])], findings: [] });
    // A finding that is left out, so that the other names of its advisory are not known.
    unknown({ lockfiles: [lockfile([sound, hit])], findings: [] });
    const problems = [{ kind: 'unread', line: undefined, message: 'm' }];
    unknown({ lockfiles: [lockfile([sound], { problems })], findings: [] });
    // Another lockfile of the same tool below.
    const other = { ...lockfile([locked('c@1.0.0', undefined, 'failed')]), path: 'web/sub/pnpm-lock.yaml' };
    unknown({ lockfiles: [lockfile([sound]), other], findings: [] });
    // Scanners that look at images, and databases that the index may not have.
    unknown({ lockfiles: [lockfile([sound])], findings: [] }, { path: '.trivyignore' });
    unknown({ lockfiles: [lockfile([sound])], findings: [] }, { advisory: 'SNYK-JS-A-1' });
    unknown({ lockfiles: [lockfile([sound], { format: 'cargo-lock' })], findings: [] });
  });

  it('has expired when its day is over', () => {
    const facts = { lockfiles: [lockfile([hit])], findings: [finding('CVE-2024-1', [], hit)] };
    expect(verdictOf({ ...ignored, until: '2026-06-09' }, facts)[0]).toBe('expired');
    expect(verdictOf({ ...ignored, until: '2026-06-11' }, facts)).toEqual([
      ...['needed', 'CVE-2024-1 affects pkg:npm/b@1.0.0', '2026-06-11'],
    ]);
  });
});

describe('an exclude from the cooldown', () => {
  const unproven = { verdict: 'unknown', evidence: 'not known' } as const;
  const proof = { ...unproven, minutes: 3 * 1_440 };
  const excluded = { kind: 'cooldown-exclude', subject: 'a', package: 'a', proof } as const;
  const at = (publishedAt: string) => ({ lockfiles: [lockfile([locked('a@1.0.0', { publishedAt })])] });

  it('is removable from the day on which the version is old enough', () => {
    const end = '2026-06-11T00:00:00.000Z';
    expect(verdictOf(excluded, at('2026-06-08T00:00:00Z'))).toEqual([
      ...['needed', `the cooldown of a 1.0.0 ends at ${end}`, end],
    ]);
    expect(verdictOf(excluded, at('2026-06-07T00:00:00Z'))[0]).toBe('removable');
    expect(verdictOf({ ...excluded, package: '*' }, at('2026-06-08T00:00:00Z'))[0]).toBe('needed');
  });

  it('is unknown without a date, a cooldown or a locked version', () => {
    const old = at('2026-01-01T00:00:00Z');
    expect(verdictOf({ ...excluded, proof: unproven }, old).slice(0, 2)).toEqual(['unknown', 'not known']);
    expect(verdictOf(excluded, { lockfiles: [lockfile([locked('a@1.0.0', {})])] })[0]).toBe('unknown');
    expect(verdictOf({ ...excluded, range: '2.0.0' }, old)[0]).toBe('unknown');
    expect(verdictOf({ ...excluded, package: '@corp/*' }, old)[0]).toBe('unknown');
  });

  it('of proposals is needed where it is about a locked package', () => {
    const { proof: _, ...rule } = { ...excluded, setting: 'packageRules' };
    expect(verdictOf(rule, at('2026-01-01T00:00:00Z'))[0]).toBe('needed');
    expect(verdictOf({ ...rule, package: 'b' }, at('2026-01-01T00:00:00Z'))[0]).toBe('unknown');
  });
});

it('ignored updates are removable when all of them are older than what is locked', () => {
  const rule = { kind: 'update-rule', setting: 'ignore', subject: 'a', package: 'a' } as const;
  const lockfiles = [lockfile([locked('a@2.0.0', {})])];
  const of = (range: string) => verdictOf({ ...rule, range }, { lockfiles })[0];
  expect([of('1.x'), of('>=1.0, <2'), of('2.x'), of('>=2'), of('[1.0,2.0)'), of('')]).toEqual([
    ...['removable', 'removable', 'needed', 'needed', 'needed', 'needed'],
  ]);
});

it('an entry about no locked package says what was not read', () => {
  const rule = { kind: 'update-rule', subject: 'b', package: 'b' } as const;
  expect(verdictOf(rule)[1]).toBe('no lockfile was read that it could be about');
  expect(verdictOf(rule, { lockfiles: [lockfile([locked('a@2.0.0', {})])] })[1]).toBe(
    'none of 1 locked packages is b; it may be about files without a lockfile',
  );
});

describe('an entry beside several lockfiles', () => {
  it('has the verdict that keeps it', () => {
    const stated = (verdict: 'removable' | 'needed' | 'unknown') =>
      lockfile([], { exceptions: [exception({ proof: { verdict, evidence: verdict } })] });
    const of = (...verdicts: Parameters<typeof stated>[0][]) =>
      judgeExceptions({ lockfiles: verdicts.map(stated), complete: true, now: NOW } as ExceptionFacts).map(
        ({ verdict }) => verdict,
      );
    expect(of('removable', 'removable')).toEqual(['removable']);
    expect(of('removable', 'unknown')).toEqual(['unknown']);
    expect(of('needed', 'removable')).toEqual(['needed']);
  });
});

it('an exact version that all permit is removable when it is the newest release', () => {
  const proof = {
    verdict: 'unknown',
    evidence: 'all permit it, but it may hold off newer versions',
    locked: '1.0.0',
  } as const;
  const of = (isDefault: boolean, hours?: number, more: object = {}) => {
    const publishedAt = hours === undefined ? '' : new Date(NOW - hours * 3_600_000).toISOString();
    const lockfiles = [lockfile([locked('a@1.0.0', { isDefault, publishedAt })])];
    return verdictOf({ package: 'a', proof: { ...proof, ...more } }, { lockfiles });
  };
  expect(of(true).slice(0, 2)).toEqual(['removable', 'all permit it, which is the newest release']);
  expect(of(false)[0]).toBe('unknown');
  // Within a cooldown, the package manager would select an older one.
  expect([of(true, 23)[0], of(true, 25)[0]]).toEqual(['unknown', 'removable']);
  const long = { minutes: 3 * 1_440 };
  expect([of(true, 71, long)[0], of(true, 73, long)[0]]).toEqual(['unknown', 'removable']);
  expect(of(true, 0, { minutes: 0 })[0]).toBe('removable');
});

it('a suppression of the target is removable when it suppresses nothing of a complete scan', () => {
  const id = 'web/.lockhound.yaml suppressions[0]';
  const suppressions = [{ id, source: 'target', reason: 'r', advisories: ['CVE-1'] }];
  const facts = (complete: boolean, findings: Finding[]) =>
    judgeExceptions({
      ...{ complete, findings, now: NOW },
      lockfiles: [lockfile([], { suppressions })],
    } as unknown as ExceptionFacts).map(({ verdict, path }) => [verdict, path]);
  const path = 'web/.lockhound.yaml';
  expect(facts(true, [])).toEqual([['removable', path]]);
  expect(facts(false, [])).toEqual([['unknown', path]]);
  const used = finding('CVE-1', [], locked('a@1', {}), { suppressed: { by: id } });
  expect(facts(true, [used])).toEqual([['needed', path]]);
});

it('a file that was not read is unknown', () => {
  expect(verdictOf({ kind: 'unread', reason: 'r' })).toEqual(['unknown', 'it was not read: r', undefined]);
});
