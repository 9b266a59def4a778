import { expect, it } from 'vitest';
import { judgeScan } from '../../src/jobs/judge-scan.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import type { Exception, LockfileProof } from '../../src/model/scan/exception.ts';
import type { Inventory } from '../../src/model/scan/inventory.ts';
import { context, locked, ports } from '../jobs/facts.ts';

const proof = (verdict: LockfileProof['verdict']) => ({ proof: { verdict, evidence: verdict } });

/** An override in line 7 of a package.json, and a rule of Renovate, which is never removable. */
function exceptions(parts: Partial<Exception>): Exception[] {
  const about = { path: 'web/package.json', setting: 'overrides', subject: 'a', ecosystem: 'npm' };
  return [
    { kind: 'override', ...about, line: 7, package: 'a', ...parts },
    { kind: 'update-rule', path: 'renovate.json', setting: 'ignoreDeps', subject: 'a' },
  ];
}

/** Scans of one target, one after the other; each returns the findings of the rule that are open then. */
function target() {
  let state: TargetState | undefined;
  let scans = 0;
  return async (
    found: Exception[] | undefined,
    more: { partial?: true; unread?: Inventory['unread'] } = {},
  ) => {
    scans += 1;
    const { partial, unread = [] } = more;
    const lockfile = {
      path: 'web/package-lock.json',
      sha256: '00',
      format: 'npm-package-lock',
      problems: [],
    };
    const read = { ...lockfile, packages: [locked('b')], ...(found && { exceptions: found }) };
    const inventory: Inventory = {
      lockfiles: unread.some(({ path }) => path === lockfile.path) ? [] : [read],
      unread,
    };
    const run = await judgeScan.run(
      {
        ...{ scan: `s${scans}`, target: { id: 't', labels: {} }, requestedAt: `2026-01-0${scans}T00:00:00Z` },
        ...{ dividedAt: 0, advisoryParts: 0, expansionParts: 0, ...(partial && { partial }) },
      },
      ports({
        ...(state && { state }),
        outcomes: new Map<string, unknown>([[`ingest-lockfiles/s${scans}`, inventory]]),
      }),
      context(),
    );
    if (run.state !== undefined && 'state' in run.state) state = run.state.state;
    return (state?.findings ?? [])
      .filter(({ status, finding }) => status === 'open' && finding.rule === 'stale-exception')
      .map(({ finding }) => finding);
  };
}

it('is a note about the line of the entry, which ends when the entry is removed or needed again', async () => {
  const scan = target();
  const [one, ...others] = await scan(exceptions(proof('removable')));
  expect(others).toEqual([]);
  expect(one).toMatchObject({
    ...{ level: 'note', severity: 'low', title: 'overrides a can be removed: removable' },
    locations: [{ path: 'web/package.json', line: 7 }, { path: 'web/package-lock.json' }],
  });
  expect(await scan(exceptions(proof('needed')))).toEqual([]);
  // Another line is the same entry.
  const [again] = await scan(exceptions({ ...proof('removable'), line: 9 }));
  expect(again?.fingerprint).toBe(one?.fingerprint);
  expect(await scan(undefined)).toEqual([]);
});

it('stays while it is not known whether the entry is needed', async () => {
  const scan = target();
  expect(await scan(exceptions(proof('removable')))).toHaveLength(1);
  expect(await scan(exceptions({}))).toHaveLength(1);
  expect(await scan(undefined, { partial: true })).toHaveLength(1);
  const unread = [{ path: 'web/yarn.lock', error: { code: 'malformed', message: 'm' } }];
  expect(await scan(exceptions(proof('removable')), { unread })).toHaveLength(1);
  expect(await scan([])).toEqual([]);
});

it('stays while its file or the lockfile beside it cannot be read', async () => {
  const scan = target();
  expect(await scan(exceptions(proof('removable')))).toHaveLength(1);
  const unread = [{ path: 'web/package-lock.json', error: { code: 'malformed', message: 'm' } }];
  expect(await scan(undefined, { unread })).toHaveLength(1);
  const unreadFile = {
    kind: 'unread',
    path: 'web/package.json',
    setting: '',
    subject: 'package.json',
  } as const;
  expect(await scan([unreadFile])).toHaveLength(1);
  expect(await scan([])).toEqual([]);
});

it('is about what has expired by its own date', async () => {
  const [one] = await target()(exceptions({ until: '1969-12-31' }));
  expect(one?.title).toBe('overrides a has expired: it has no effect since 1969-12-31');
});

it('is not found without a verdict', async () => {
  expect(await target()(exceptions({}))).toEqual([]);
});
