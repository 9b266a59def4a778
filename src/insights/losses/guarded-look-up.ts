import { addTo, createTally } from '../../model/losses/evidence.ts';
import type { Compared } from '../../model/losses/statements.ts';
import { ADVISORY_STATEMENTS, compareAnswer, VERSION_STATEMENTS } from '../../model/losses/statements.ts';
import type { Answer, Facts, Known } from '../../model/ports/shared-state.ts';
import type { Advisory, VersionRecordSummary } from '../../model/scan/inventory.ts';
import type { LookUp } from '../resolve/eligibility.ts';
import type { VersionAnswer, VersionLookUp } from '../resolve/version-look-up.ts';
import { provenLosses, type Witnessing } from './judge-losses.ts';

type Settled = readonly [lookUp: LookUp, answer: VersionAnswer];

/**
 * Returns the look-up for scans: an answer that no longer states what is known is settled last, when it is known whether all
 * answers together prove the loss.
 */
export function guardedLookUp(
  facts: Pick<Facts<VersionRecordSummary>, 'read'> | undefined,
  witnessing: Witnessing,
): VersionLookUp {
  const { lookUpVersions } = witnessing;
  if (facts === undefined) return lookUpVersions;
  return async (lookUps, signal, settled) => {
    const known = await facts.read(lookUps.map(({ key }) => key));
    const before = new Map(lookUps.map(({ key }, index) => [key, known[index]]));
    const tally = createTally();
    const open: Settled[] = [];
    const doubted: Compared<VersionRecordSummary>[] = [];
    await lookUpVersions(lookUps, signal, (answers) => {
      const sound: Settled[] = [];
      for (const one of answers) {
        const [{ key }, answer] = one;
        if ('error' in answer) {
          sound.push(one);
          continue;
        }
        const compared = compareAnswer(VERSION_STATEMENTS, before.get(key), answer);
        if (compared.lost.length > 0) {
          open.push(one);
          doubted.push(compared);
        } else {
          addTo(tally, compared);
          sound.push([one[0], compared.known]);
        }
      }
      if (sound.length > 0) settled(sound);
    });
    if (open.length === 0) return;
    const { isProven } = await provenLosses(tally, doubted, witnessing, signal);
    settled(
      open.map(([lookUp, answer]): Settled => {
        if ('error' in answer) return [lookUp, answer];
        const { known } = compareAnswer(VERSION_STATEMENTS, before.get(lookUp.key), answer, isProven);
        return [lookUp, known];
      }),
    );
  };
}

/** An answer about one advisory compared with what the fleet knows. One answer proves no loss; the next refresh decides. */
export function guardedAnswer(
  facts: Facts<Advisory> | undefined,
): (id: string, answer: Answer<Advisory>) => Promise<Known<Advisory>> {
  return async (id, answer) => {
    const [before] = (await facts?.read([id])) ?? [];
    return compareAnswer(ADVISORY_STATEMENTS, before, answer).known;
  };
}
