import { defined } from '../../model/defined.ts';
import { type Detector, listOf } from './detector.ts';

export const dependencyChanged: Detector = {
  name: 'dependency-changed',
  title: 'The requirements of a locked version changed',
  description:
    'What the version requires has changed since it was inspected, or is more than the lockfile says.',
  help: {
    means:
      'what the index says that the version requires is not what it said before. Or, for npm: the ' +
      'version requires a package, by its statement and by its resolved graph, that the lockfile does ' +
      'not have among its dependencies; the graph is looked up only when a dependency is lacking. In ' +
      'other systems, features and markers decide what a lockfile has.',
    sure:
      'unusual; the index may have corrected itself, and a tool may have removed the dependency from ' +
      'the lockfile on purpose.',
    todo: 'compare what the registry says with your lockfile.',
  },
  points: { '': 2, lockfile: 1 },
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
