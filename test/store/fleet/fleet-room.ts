import { defined } from '../../../src/model/defined.ts';
import type { LedgerNote } from '../../../src/model/fleet/ledger.ts';
import type { LoggedChanges } from '../../../src/model/fleet/logged-changes.ts';
import type { ObjectStorage } from '../../../src/model/ports/object-storage.ts';
import type { TargetState } from '../../../src/model/scan/change.ts';
import type { Finding } from '../../../src/model/scan/finding.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../../../src/model/scan/inventory.ts';
import type { Severity } from '../../../src/model/scan/severity.ts';
import { createInventories } from '../../../src/store/fleet/inventories.ts';
import { createPackageIds } from '../../../src/store/fleet/package-ids.ts';
import { createKeys, type Shard } from '../../../src/store/keys.ts';
import { createOutcomeStore } from '../../../src/store/outcomes/outcomes.ts';
import type { RedisClient } from '../../../src/store/redis/connection.ts';
import { createTargetStore } from '../../../src/store/targets.ts';

export const AT = '2026-01-31T06:00:00Z';

export interface TargetOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly findings?: TargetState['findings'];
  readonly log?: LoggedChanges['changes'];
  readonly incomplete?: boolean;
  readonly release?: TargetState['release'];
  /** For the ledger. Default: a scan at `AT`; `null`: none, as of a worker that keeps no ledger. */
  readonly ledger?: Partial<LedgerNote> | null;
}

/** The stores of a fleet under a prefix of its own, and a function that saves a target as `judge-scan` does. */
export function openFleet(
  redis: RedisClient,
  prefix: string,
  {
    now = Date.now,
    shard,
    keepMs,
    storage,
  }: {
    readonly now?: () => number;
    readonly shard?: Shard;
    readonly keepMs?: () => number;
    readonly storage?: ObjectStorage;
  } = {},
) {
  const keys = createKeys(prefix, shard);
  const packageIds = createPackageIds(redis, keys, now);
  const inventories = createInventories(redis, keys, packageIds);
  const outcomes = createOutcomeStore(redis, keys, { inventories, now, storage, ...defined({ keepMs }) });
  const targets = createTargetStore(redis, keys);
  let scans = 0;
  const save = async (target: string, read: readonly ResolvedLockfile[], options: TargetOptions = {}) => {
    const { labels = {}, findings = [], log, incomplete, release, ledger = {} } = options;
    const before = await targets.read(target);
    const revision = (before?.revision ?? 0) + 1;
    scans += 1;
    const scan = `${target}-s${scans}`;
    const open: Partial<Record<Severity, number>> = {};
    for (const { status, finding } of findings) {
      if (status === 'open') open[finding.severity] = (open[finding.severity] ?? 0) + 1;
    }
    const mark = incomplete === undefined ? {} : { incomplete };
    return await outcomes.save('judge-scan', scan, {
      result: {},
      next: [],
      state: {
        target,
        replaces: revision - 1,
        state: { revision, scan, requestedAt: AT, findings, lockfiles: [], ...mark, ...defined({ release }) },
        lockfiles: { before: before?.lockfiles ?? [], read },
        summary: {
          labels,
          open,
          openByRule: { vulnerability: open },
          requestedAt: AT,
          ...mark,
        },
        ...(ledger === null ? {} : { ledger: { scan, requestedAt: AT, labels, findings: [], ...ledger } }),
        ...(log === undefined ? {} : { log: { scan, target, labels, requestedAt: AT, changes: log } }),
      },
    });
  };
  return { redis, keys, packageIds, inventories, outcomes, targets, save };
}

/** A lockfile of npm packages: `name@version`, the first of them direct. `edges`: dependencies by id. */
export function npmFile(
  path: string,
  ids: readonly string[],
  edges: Readonly<Record<string, readonly string[]>> = {},
): ResolvedLockfile {
  return {
    path,
    sha256: `content of ${ids.join()}`,
    format: 'package-lock',
    problems: [],
    packages: ids.map((id, index): ResolvedPackage => {
      const at = id.lastIndexOf('@');
      const [name, version] = [id.slice(0, at), id.slice(at + 1)];
      return {
        id,
        ecosystem: 'npm',
        name,
        version,
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        direct: index === 0,
        groups: [],
        line: index + 1,
        dependencies: edges[id] ?? [],
        resolution: { outcome: 'resolved' },
      };
    }),
  };
}

/** A finding of the rule `vulnerability`, as a state stores it. */
export function tracked(
  target: string,
  id: string,
  severity: Severity,
  more: Partial<Omit<TargetState['findings'][number], 'finding'>> & {
    readonly finding?: Partial<Finding>;
  } = {},
): TargetState['findings'][number] {
  const at = id.lastIndexOf('@');
  const [name, version] = [id.slice(0, at), id.slice(at + 1)];
  return {
    status: 'open',
    openedAt: AT,
    changedAt: AT,
    ...more,
    finding: {
      fingerprint: `${target}/${id}/${severity}`,
      rule: 'vulnerability',
      level: 'alert',
      severity,
      title: `Something is wrong with ${name}`,
      package: { ecosystem: 'npm', name, version, purl: `pkg:npm/${id}`, direct: false, groups: [] },
      locations: [{ path: 'package-lock.json', line: 2, dependencyPath: ['shop@1.0.0', id] }],
      advisory: {
        id: `GHSA-${name}`,
        aliases: [],
        title: `Something is wrong with ${name}`,
        url: 'https://example.com',
        score: 7.5,
      },
      ...more.finding,
    },
  };
}

/** All items of an asynchronous list. */
export async function gathered<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
