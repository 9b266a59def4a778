import { genericPreset } from './generic.ts';
import { githubIssuePreset, githubRepositoryDispatchPreset } from './github.ts';
import { jiraIssuePreset } from './jira-issue.ts';
import { microsoftTeamsPreset } from './microsoft-teams.ts';
import { opsgenieClosePreset, opsgeniePreset } from './opsgenie.ts';
import { pagerdutyPreset } from './pagerduty.ts';
import type { Preset } from './preset.ts';
import { slackPreset } from './slack.ts';

/** All presets. The configuration accepts their names. */
export const PRESETS: readonly Preset[] = [
  genericPreset,
  slackPreset,
  microsoftTeamsPreset,
  pagerdutyPreset,
  opsgeniePreset,
  opsgenieClosePreset,
  githubRepositoryDispatchPreset,
  githubIssuePreset,
  jiraIssuePreset,
];
