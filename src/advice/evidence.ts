import type { Fix } from '../model/advice/fix.ts';
import { defined } from '../model/defined.ts';
import type { Candidates } from './candidates.ts';
import { type Holder, permits } from './holders.ts';

const MAX_ENTRIES = 20;

/** The things that were looked at for a fix. */
export interface EvidenceOf {
  /** Graphs are added while they are looked at. */
  readonly graphs: Fix['evidence']['graphs'][number][];
  toEvidence(): Fix['evidence'];
}

/** `version`: the smallest good one, by which requirements are judged. */
export function createEvidence(
  candidates?: Candidates,
  holders: readonly Holder[] = [],
  version?: string,
): EvidenceOf {
  const graphs: Fix['evidence']['graphs'][number][] = [];
  return {
    graphs,
    toEvidence() {
      const looked = candidates?.looked() ?? [];
      const requirements = holders.map((holder) => ({
        by: holder.by,
        ...defined({ requirement: holder.requirement }),
        permits:
          version !== undefined &&
          candidates !== undefined &&
          permits(holder, version, candidates.scheme).state === 'good',
      }));
      return {
        ...defined({ from: candidates?.from }),
        candidates: looked.slice(0, MAX_ENTRIES),
        lookedAt: looked.length,
        requirements: requirements
          .sort((left, right) => Number(left.permits) - Number(right.permits))
          .slice(0, MAX_ENTRIES),
        graphs: graphs.slice(0, MAX_ENTRIES),
      };
    },
  };
}
