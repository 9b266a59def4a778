import { BURSTS } from './cases/bursts.ts';
import { NAMES } from './cases/names.ts';
import { OTHERS } from './cases/others.ts';
import { REQUIREMENTS } from './cases/requirements.ts';
import { TWINS } from './cases/twins.ts';
import type { Incident } from './incident.ts';

export const INCIDENTS: readonly Incident[] = [...REQUIREMENTS, ...BURSTS, ...NAMES, ...OTHERS];
export { TWINS };
