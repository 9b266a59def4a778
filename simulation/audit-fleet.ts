import type { Redis } from 'ioredis';
import { messageOf } from '../src/model/errors.ts';
import { type ChangeLogEntry, createChangeLog } from '../src/store/fleet/change-log.ts';
import type { Keys } from '../src/store/keys.ts';
import { Ledger, type Model, type Open } from './oracle.ts';
import { BOUNDS, SUPPRESSED } from './plan.ts';
import { fieldsOf, textsIn, type Witness } from './witness.ts';

/** Characters of the reference of an open alert. */
const REF_LENGTH = 10;

/**
 * Where the fleet of a shard says something else than the inputs. All of it is saved together with the states of targets, so that it is
 * exact after a loss of writes, too.
 */
export async function wrongFleet(
  witness: Witness,
  redis: Redis,
  keys: Keys,
  { targets, model }: { readonly targets: readonly string[]; readonly model: Model },
): Promise<readonly string[]> {
  const own = new Set(targets);
  const open = new Map([...model.open()].filter(([key]) => own.has(targetOf(key))));
  return [
    ...(await wrongChanges(redis, keys, open)),
    ...wrongAlerts(witness, keys, targets, open),
    ...wrongFacts(witness, keys, model.advisoriesOf(own)),
  ];
}

function targetOf(key: string): string {
  return key.split(' ', 1)[0] ?? '';
}

/** The changes in the log, one after the other, lead to what is open. */
async function wrongChanges(redis: Redis, keys: Keys, open: Open): Promise<readonly string[]> {
  const ledger = new Ledger({ suppressed: SUPPRESSED });
  const entries: ChangeLogEntry[] = [];
  for await (const entry of createChangeLog(redis, keys).since(0)) entries.unshift(entry);
  try {
    for (const { target, changes } of entries) {
      if (target.startsWith('lockhound:')) continue;
      // Nobody is told of a finding that is suppressed from the start.
      const alerts = changes.filter(
        ({ level, transition }) => level === 'alert' && transition !== 'suppressed',
      );
      const sent = alerts.map(({ transition, severity, rule, purl, advisory }) => {
        const [, name = purl, version = ''] = /^pkg:npm\/(.+)@(.+)$/.exec(purl) ?? [];
        const advisories = advisory === undefined ? [] : [advisory];
        return { target, transition, severity, rule, package: name, version, advisories };
      });
      ledger.read(JSON.stringify({ target, reminder: false, changes: sent }), 0);
    }
  } catch (error) {
    return [`the log of changes: ${messageOf(error)}`];
  }
  return ledger.differences(open).map((wrong) => `the log of changes: ${wrong}`);
}

/** Each open alert is listed for its target, and none that nobody has is needed. */
function wrongAlerts(
  witness: Witness,
  keys: Keys,
  targets: readonly string[],
  open: Open,
): readonly string[] {
  const listed = fieldsOf(witness.ask('HGETALL', keys.alertsOfTargets));
  const stored = new Set(textsIn(witness.ask('HKEYS', keys.openAlerts)));
  return targets.flatMap((target) => {
    const refs = (listed[target] ?? '').match(new RegExp(`.{1,${REF_LENGTH}}`, 'g')) ?? [];
    const must = [...open.keys()].filter((key) => targetOf(key) === target).length;
    const known = refs.filter((ref) => stored.has(ref)).length;
    return known === must && refs.length === must
      ? []
      : [`${target} lists ${refs.length} open alerts, ${known} of them stored, not ${must}`];
  });
}

/** Facts are what the service says. */
function wrongFacts(
  witness: Witness,
  keys: Keys,
  expected: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const { facts, unanswered, replaced } = keys.facts('version');
  const listed = Number(witness.ask('LLEN', replaced));
  if (listed > BOUNDS.MAX_REPLACED) return [`${listed} replaced facts are listed`];
  return [...expected].flatMap(([version, advisories]) => {
    const text = witness.ask('HGET', facts, `NPM:${version}`);
    const known = [...new Set(String(text).match(/GHSA-test-\d{4}-\d{4}/g))].sort().join(', ');
    const isAnswered = text !== null && witness.ask('ZSCORE', unanswered, `NPM:${version}`) === null;
    return isAnswered && known === advisories.toSorted().join(', ')
      ? []
      : [`the fact of ${version} is ${text}, not ${advisories.join(', ')}`];
  });
}
