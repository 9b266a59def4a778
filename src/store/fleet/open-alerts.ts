import { createHash } from 'node:crypto';
import type { OpenAlert } from '../../model/fleet/fleet-finding.ts';
import type { TargetState } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { OPEN_ALERT } from '../../model/stored/catalog.ts';
import { chunks } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { scanFields } from '../redis/scan.ts';
import type { OutcomeStep } from '../scripts/save-outcome.lua.ts';
import { createHashValues } from '../values/hash-values.ts';
import { writeText } from '../values/stored-values.ts';

/** Alerts of a target that are listed; the state of a target with more is read instead. */
const MAX_ALERTS = 2_000;
/** Alerts in one step: Lua passes a few thousand arguments at most. */
const STEP = 500;
/** Characters of a reference: 60 bits of a hash. */
const REF_LENGTH = 10;

/** The open alerts of a shard. */
export interface StoredAlerts {
  /** By reference. */
  readonly alerts: ReadonlyMap<string, OpenAlert>;
  /**
   * The references of the open alerts of each target, one after the other (`refsIn`). A target that is absent has to be read, as one with
   * an unknown reference.
   */
  readonly targets: ReadonlyMap<string, string>;
}

/**
 * The open alerts of all targets, by compact lists of references: about 10 bytes an alert. Each alert is stored once, under the hash of
 * its content. What is absent, because it was removed while a target was saved or because Redis lost it, costs the reading of a state.
 */
export function createOpenAlerts(redis: RedisClient, keys: Keys) {
  const remedy = 'Delete the field; states are read in its place.';
  const { parse } = createHashValues(redis, OPEN_ALERT, { key: keys.openAlerts, remedy });
  const alerts = async (): Promise<StoredAlerts['alerts']> => {
    const found = new Map<string, OpenAlert>();
    for await (const [field, stored] of scanFields(redis, keys.openAlerts)) {
      const alert = await parse(field, stored).catch(() => undefined);
      if (alert !== undefined) found.set(field, alert);
    }
    return found;
  };
  return {
    async read(): Promise<StoredAlerts> {
      const found = await alerts();
      const targets = new Map<string, string>();
      for await (const [target, stored] of scanFields(redis, keys.alertsOfTargets))
        targets.set(target, stored.toString('latin1'));
      return { alerts: found, targets };
    },
    /** By reference, without those that cannot be read. */
    alerts,
    /** Removes the alerts that no target has. */
    async forgetUnused(): Promise<void> {
      const unused = new Set(await redis.hkeys(keys.openAlerts));
      for await (const [, stored] of scanFields(redis, keys.alertsOfTargets))
        for (const ref of refsIn(stored.toString('latin1'))) unused.delete(ref);
      for (const part of chunks([...unused], STEP)) await redis.hdel(keys.openAlerts, ...part);
    },
  };
}

/** The steps that store the open alerts of a target together with its state. */
export function openAlertSteps(
  { openAlerts, alertsOfTargets }: Keys,
  target: string,
  tracked: TargetState['findings'],
): readonly OutcomeStep[] {
  const open = tracked.flatMap(({ status, finding }) =>
    status === 'open' && isAlert(finding) ? [alertText(finding)] : [],
  );
  if (open.length > MAX_ALERTS) return [{ name: 'HDEL', keys: [alertsOfTargets], values: [target] }];
  const byRef = new Map(open.map((text) => [refOfText(text), text]));
  const refs = open.map(refOfText).join('');
  return [
    ...chunks([...byRef], STEP).map((part) => ({ name: 'HSET', keys: [openAlerts], values: part.flat() })),
    { name: 'HSET', keys: [alertsOfTargets], values: [target, refs] },
  ];
}

/** The reference of an open alert. */
export function alertRef(finding: Finding): string {
  return refOfText(alertText(finding));
}

function refOfText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, REF_LENGTH);
}

function alertText(finding: Finding): string {
  const { rule, level, severity, countsAs, stepsLess, title, advisory, disputed, issue, kev, epss } = finding;
  const { ecosystem, name, version, purl, direct, groups } = finding.package;
  const own = { ecosystem, name, version, purl, direct, groups };
  const rated = { rule, level, severity, countsAs, stepsLess, title };
  return writeText(OPEN_ALERT, { ...rated, package: own, advisory, disputed, issue, kev, epss } as OpenAlert);
}

/** The references in the text of a target. */
export function* refsIn(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += REF_LENGTH) yield text.slice(at, at + REF_LENGTH);
}
