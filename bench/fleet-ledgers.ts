import type { Store } from '../src/compose/store.ts';
import { stepsOf } from '../src/fleet/ledger/lockfile-deltas.ts';
import type { LedgerEntry } from '../src/model/fleet/ledger.ts';
import { chunks } from '../src/model/yielding.ts';
import { headKeys, writeLedger } from '../src/store/fleet/ledger.ts';
import { createKeys } from '../src/store/keys.ts';
import { seededRandom } from '../test/seeded-random.ts';

const WEEKS = 52;
const CHANGED = 30;
/** Different ledgers, which the targets share by turns. */
const DIFFERENT = 1_000;
const WEEK_MS = 7 * 86_400_000;

/** Gives each target the ledger of a year, in which 30 of its packages change each week, in place of its own. */
export async function fillLedgers(store: Store, targets: number, distinct: number): Promise<void> {
  const random = seededRandom(52);
  const keys = createKeys(store.prefix);
  const ledgers = [];
  for (let count = 0; count < Math.min(DIFFERENT, targets); count += 1) {
    const entries = yearOf(() => 1 + Math.floor(random() * distinct));
    ledgers.push(await writeLedger(keys, '', entries));
  }
  const ids = Array.from({ length: targets }, (_, index) => `team-${index % 50}/service-${index}`);
  for (const [part, names] of chunks(ids, 1_000).entries()) {
    const pipeline = store.redis.pipeline();
    for (const [index, target] of names.entries()) {
      const { blocks, heads } = ledgers[(part * 1_000 + index) % ledgers.length] as (typeof ledgers)[number];
      pipeline.del(keys.ledger(target));
      pipeline.rpush(keys.ledger(target), ...blocks);
      for (const [at, key] of headKeys(keys, target).entries())
        pipeline.hset(key, target, heads[at]?.[1] as Buffer);
    }
    await pipeline.exec();
  }
}

function yearOf(drawId: () => number): readonly LedgerEntry[] {
  const first = Date.now() - WEEKS * WEEK_MS;
  return Array.from({ length: WEEKS }, (_, week): LedgerEntry => {
    const entry = { at: Math.floor((first + week * WEEK_MS) / 1_000), scan: `year-${week}` };
    if (week === 0) return { ...entry, start: true };
    const draw = () =>
      [...new Set(Array.from({ length: CHANGED }, drawId))].sort((one, other) => one - other);
    const came = draw();
    const files = [
      {
        path: 'package-lock.json',
        came: stepsOf(came),
        via: came.map(() => 0),
        roots: [],
        went: stepsOf(draw()),
      },
    ];
    return { ...entry, commit: 'c'.repeat(40), files };
  });
}
