import { BURSTS } from './cases/bursts.ts';
import { NAMES } from './cases/names.ts';
import { OTHERS } from './cases/others.ts';
import { PROJECT_INCIDENTS, PROJECT_TWINS } from './cases/projects.ts';
import { REQUIREMENTS } from './cases/requirements.ts';
import { TWINS as RELEASE_TWINS } from './cases/twins.ts';
import type { Incident } from './incident.ts';

export const INCIDENTS: readonly Incident[] = [
  ...REQUIREMENTS,
  ...BURSTS,
  ...PROJECT_INCIDENTS,
  ...NAMES,
  ...OTHERS,
];
export const TWINS: readonly Incident[] = [...RELEASE_TWINS, ...PROJECT_TWINS];
