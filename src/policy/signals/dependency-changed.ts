import { defined } from '../../model/defined.ts';
import type { Detector } from './detector.ts';
import { listOf } from './words.ts';

/** What a published version requires is not what it was before, although the version is; or not what the lockfile says. */
export const dependencyChanged: Detector = {
  signal: 'dependency-changed',
  detect({ requirements, requirementsBefore, unlocked = [], target }) {
    const isChanged =
      requirements !== undefined && requirementsBefore !== undefined && requirements !== requirementsBefore;
    const lacking =
      unlocked.length === 0
        ? ''
        : `${listOf(unlocked)}, which the lockfile does not have among its dependencies`;
    if (isChanged) {
      const text = 'requires other packages than when it was inspected before, under the same version';
      return { text: lacking === '' ? text : `${text}: ${lacking}` };
    }
    if (lacking === '') return undefined;
    return { grade: 'lockfile', text: `requires ${lacking}`, ...defined({ target }) };
  },
};
