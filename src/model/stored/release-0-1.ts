import { isObject, type JsonObject } from '../json-object.ts';
import type { CollectedAdvisories } from '../scan/advisory.ts';

/*
 * Upgrades of what release 0.1.0 stored, version 1 of each kind. That release had no levels (every finding alerted), named
 * `unrated` `unknown`, and had one rule `missing` for what are `vanished` and `unindexed` now. Values are not checked yet: a
 * part of an unexpected type is left to the schema.
 */

/** A finding that was alerted as missing stays an alert until it is resolved, because it has been reported already. */
export const upgradeState = (state: unknown): unknown =>
  withFields(state, ({ findings }) => ({ findings: each(findings, upgradeTracked) }));

export const upgradeNotification = (notification: unknown): unknown =>
  withFields(notification, ({ changes, open }) => ({
    changes: each(changes, upgradeChange),
    open: upgradeCounts(open),
  }));

export const upgradeGatheredDigest = (digest: unknown): unknown =>
  withFields(digest, ({ notification }) => ({ notification: upgradeNotification(notification) }));

export const upgradeVerdict = (verdict: unknown): unknown =>
  withFields(verdict, ({ findings, changes, gaps, open, complete, partial = false, kept = 0, counts }) => ({
    findings: each(findings, upgradeFinding),
    changes: each(changes, upgradeChange),
    open: upgradeCounts(open ?? fieldsOf(counts)['severities']),
    complete: complete ?? (Array.isArray(gaps) && gaps.length === 0),
    partial,
    kept,
    counts: withFields(counts, ({ severities, outcomes, notes = 0 }) => ({
      outcomes: { uncovered: 0, ...fieldsOf(outcomes) },
      severities: upgradeCounts(severities),
      notes,
    })),
  }));

/** Problems had no kind. They become `unread`, because any of them may hide packages. */
export const upgradeInventory = (inventory: unknown): unknown =>
  withFields(inventory, ({ lockfiles }) => ({
    lockfiles: each(lockfiles, (lockfile) =>
      withFields(lockfile, ({ problems }) => ({
        problems: each(problems, (problem) => withFields(problem, ({ kind = 'unread' }) => ({ kind }))),
      })),
    ),
  }));

export const upgradeAdvisories = (collected: unknown): unknown =>
  withFields(collected, ({ advisories }) => ({ advisories: each(advisories, upgradeAdvisory) }));

/**
 * Each score is also stored under the name by which release 0.1.0 reads it. During a rolling upgrade a worker of this release collects
 * advisories of scans that a worker of 0.1.0 judges; without that name all their findings would have no rating there.
 */
export function withRatings({ advisories, ...collected }: CollectedAdvisories): unknown {
  const rated = advisories.map((one) => (one.score === undefined ? one : { ...one, cvss3Score: one.score }));
  return { ...collected, advisories: rated };
}

function upgradeAdvisory(advisory: unknown): unknown {
  return withFields(advisory, ({ score, cvss3Score }) => {
    const known = score ?? cvss3Score;
    return known === undefined ? {} : { score: known };
  });
}

function upgradeTracked(tracked: unknown): unknown {
  return withFields(tracked, ({ finding, worst }) => ({
    finding: upgradeFinding(finding),
    ...(worst === 'unknown' ? { worst: 'medium' } : {}),
  }));
}

function upgradeChange(change: unknown): unknown {
  return withFields(change, ({ finding, previousSeverity }) => ({
    finding: upgradeFinding(finding),
    ...(previousSeverity === 'unknown' ? { previousSeverity: 'unrated' } : {}),
  }));
}

function upgradeFinding(finding: unknown): unknown {
  return withFields(finding, ({ level = 'alert', severity, rule, package: found }) => ({
    level,
    severity: severity === 'unknown' ? 'unrated' : severity,
    ...(rule === 'missing' ? { rule: 'unindexed', issue: fieldsOf(found)['version'] } : {}),
  }));
}

function upgradeCounts(counts: unknown): unknown {
  const { unknown = 0, unrated = unknown, ...rated } = fieldsOf(counts);
  return { critical: 0, high: 0, medium: 0, low: 0, none: 0, ...rated, unrated };
}

function withFields(value: unknown, change: (fields: JsonObject) => JsonObject): unknown {
  return isObject(value) ? { ...value, ...change(value) } : value;
}

function each(list: unknown, upgrade: (member: unknown) => unknown): unknown {
  return Array.isArray(list) ? list.map(upgrade) : list;
}

function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
