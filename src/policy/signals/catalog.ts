import { behind } from './behind.ts';
import { burst } from './burst.ts';
import { capabilityGained } from './capability-gained.ts';
import { dependencyChanged } from './dependency-changed.ts';
import type { Detector } from './detector.ts';
import { freshRelease } from './fresh-release.ts';
import { indexFinding } from './index-finding.ts';
import { installScript } from './install-script.ts';
import { integrityMismatch } from './integrity-mismatch.ts';
import { lookAlike } from './look-alike.ts';
import { provenanceLost } from './provenance-lost.ts';
import { pulledSiblings } from './pulled-siblings.ts';
import { revived } from './revived.ts';
import { scorecardDropped } from './scorecard-dropped.ts';
import { sourceMoved } from './source-moved.ts';
import { unmaintained } from './unmaintained.ts';
import { withdrawn } from './withdrawn.ts';
import { youngRequirement } from './young-requirement.ts';

/** All detectors, the strongest signal first: the first one of a version names its finding. Each signal is a rule of its own. */
export const DETECTORS: readonly Detector[] = [
  indexFinding,
  integrityMismatch,
  youngRequirement,
  provenanceLost,
  burst,
  lookAlike,
  capabilityGained,
  installScript,
  withdrawn,
  pulledSiblings,
  revived,
  sourceMoved,
  dependencyChanged,
  scorecardDropped,
  freshRelease,
  unmaintained,
  behind,
];

/** The signals that are no findings of their own by default. */
export const REASONS_ONLY: ReadonlySet<string> = new Set(
  DETECTORS.filter(({ level }) => level === 'off').map(({ name }) => name),
);
