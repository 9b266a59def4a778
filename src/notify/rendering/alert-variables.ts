import { PRESETS } from '../presets/catalog.ts';
import type { NotificationVariable } from './alert-variable.ts';
import { OWN_VARIABLES } from './lockhound-variables.ts';
import { PLATFORM_VARIABLES } from './platform-variables.ts';

/** Every variable that an alert gives a template: the platform's, our own, and those of the presets. */
export const ALERT_VARIABLES: readonly NotificationVariable[] = [
  ...PLATFORM_VARIABLES,
  ...OWN_VARIABLES,
  ...PRESETS.flatMap(({ variables }) => variables ?? []),
];
