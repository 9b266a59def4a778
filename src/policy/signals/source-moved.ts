import { DETAILS, type Detector, LIST, listOf, predecessors } from './detector.ts';
import { COMPARED_RELEASES } from './provenance-lost.ts';

export const sourceMoved: Detector = {
  name: 'source-moved',
  title: 'A locked version comes from another source project',
  description: 'The source project is another one than for the versions before.',
  help: {
    means: 'the version names another source project than the versions before it.',
    sure: 'weak alone: repositories move.',
    todo: 'check that the old one refers to the new one.',
  },
  points: { '': 2 },
  reads: [...LIST, ...DETAILS],
  detect({ key, releases, details }) {
    const own = details?.get(key.version)?.projects ?? [];
    const known = new Set(
      predecessors(releases, key.version)
        .slice(-COMPARED_RELEASES)
        .flatMap(({ version }) => details?.get(version)?.projects ?? []),
    );
    if (own.length === 0 || known.size === 0 || own.some((project) => known.has(project))) return undefined;
    return { text: `names ${listOf(own)} as its source, and the versions before it ${listOf([...known])}` };
  },
};
