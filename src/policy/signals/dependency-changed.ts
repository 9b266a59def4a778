import type { Detector } from './detector.ts';

/** What a published version requires is not the same as before, although the version is. */
export const dependencyChanged: Detector = {
  signal: 'dependency-changed',
  detect({ requirements, requirementsBefore }) {
    if (requirements === undefined || requirementsBefore === undefined) return undefined;
    if (requirements === requirementsBefore) return undefined;
    return { text: 'requires other packages than when it was inspected before, under the same version' };
  },
};
