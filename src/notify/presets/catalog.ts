import { genericPreset } from './generic.ts';
import { githubIssuePreset } from './github-issue.ts';
import { githubRepositoryDispatchPreset } from './github-repository-dispatch.ts';
import { jiraIssuePreset } from './jira-issue.ts';
import { microsoftTeamsPreset } from './microsoft-teams.ts';
import { opsgeniePreset } from './opsgenie.ts';
import { opsgenieClosePreset } from './opsgenie-close.ts';
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
