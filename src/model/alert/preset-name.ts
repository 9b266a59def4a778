/** Kinds of receivers that Lockhound supports (`notify/presets`). */
export const PRESET_NAMES = [
  'generic',
  'slack',
  'microsoft-teams',
  'pagerduty',
  'opsgenie',
  'opsgenie-close',
  'github-repository-dispatch',
] as const;

export type PresetName = (typeof PRESET_NAMES)[number];
