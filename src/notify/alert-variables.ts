import type { NotificationVariable } from './notification-variable.ts';
import { OWN_VARIABLES } from './notification-variables.ts';
import { PLATFORM_VARIABLES } from './platform-variables.ts';
import { PRESETS } from './presets/catalog.ts';

/** Every variable that an alert gives a template: the platform's, our own, and those of the presets. */
export const ALERT_VARIABLES: readonly NotificationVariable[] = [
  ...PLATFORM_VARIABLES,
  ...OWN_VARIABLES,
  ...PRESETS.flatMap(({ variables }) => variables ?? []),
];
