import type { TargetFindings } from '../../fleet/fleet.ts';
import type { WantedFindings } from '../../model/fleet/fleet-finding.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { createTargetStore } from '../targets.ts';
import type { OnUnreadable } from '../values/stored-values.ts';
import { createTargetSummaries } from './target-summaries.ts';

/** The targets with open findings. A part of the list of targets is in memory. */
export async function* openTargets(
  redis: RedisClient,
  keys: Keys,
  onUnreadable: OnUnreadable,
): AsyncGenerator<TargetFindings> {
  const states = createTargetStore(redis, keys);
  for await (const part of createTargetSummaries(redis, keys).all(onUnreadable)) {
    const listed = new Map(part.filter(([, { open }]) => Object.keys(open).length > 0));
    for await (const [id, { findings }] of states.each([...listed.keys()], onUnreadable)) {
      const { labels = {}, open = {} } = listed.get(id) ?? {};
      yield { target: { id, labels }, findings, open };
    }
  }
}

/** The targets with a wanted finding. One whose state cannot be read is reported, and is not among them. */
export async function targetsWith(
  redis: RedisClient,
  keys: Keys,
  { isAbout, mayBeIn, isWanted }: WantedFindings,
  onUnreadable: OnUnreadable,
): Promise<readonly string[]> {
  const states = createTargetStore(redis, keys);
  const found: string[] = [];
  for await (const part of createTargetSummaries(redis, keys).all(onUnreadable)) {
    const targets = part.map(([id, { labels }]) => ({ id, labels })).filter(isAbout);
    const labelsOf = new Map(targets.map(({ id, labels }) => [id, labels]));
    for await (const [id, { findings }] of states.each([...labelsOf.keys()], onUnreadable, mayBeIn)) {
      const target = { id, labels: labelsOf.get(id) ?? {} };
      if (findings.some(({ finding }) => isWanted(target, finding))) found.push(id);
    }
  }
  return found;
}
