import type { RatedSeverity } from '../../model/scan/severity.ts';
import { type Alert, detailsUrl, worstCounted, worstSeverity } from '../alert/alert.ts';
import { issueAction, issueKey, issueTitle } from '../alert/issue.ts';
import { messageWithin } from '../alert/message.ts';
import type { Preset } from './preset.ts';

const MAX_SUMMARY = 255;
/** A description may have 32,767 characters. */
const MAX_DESCRIPTION = 30_000;

/**
 * Issues in Jira, by an automation rule with the trigger "Incoming webhook" that looks the issue up by its label, because one request
 * can neither look an issue up nor transition it. docs/webhooks.md has the rule.
 * https://support.atlassian.com/cloud-automation/docs/jira-automation-triggers/#Incoming-webhook
 */
export const jiraIssuePreset: Preset = {
  name: 'jira-issue',
  description: 'Jira: one issue for each finding, commented and closed by an automation rule.',
  encodeAs: 'json',
  reminders: false,
  headers: { 'x-automation-webhook-token': '$JIRA_AUTOMATION_TOKEN' },
  payload: '$JIRA_ISSUE',
  secret: { name: 'JIRA_AUTOMATION_TOKEN', description: 'secret of the incoming webhook' },
  mode: 'change',
  limits: ['summary: 255 characters', 'description: 32,767 characters'],
  variables: [
    {
      name: 'JIRA_ISSUE',
      description:
        'JSON: `action` (`open`, `comment`, `close`), `key`, `summary`, `description`, `priority`, `severity`, `labels`, `link`.',
      json: issueOf,
    },
  ],
};

const PRIORITIES: Readonly<Record<RatedSeverity, string>> = {
  critical: 'Highest',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  none: 'Lowest',
};

function issueOf(alert: Alert): object {
  const key = issueKey(alert);
  return {
    action: issueAction(alert),
    key,
    summary: issueTitle(alert, MAX_SUMMARY),
    description: messageWithin(alert, MAX_DESCRIPTION),
    priority: PRIORITIES[worstCounted(alert)],
    severity: worstSeverity(alert),
    labels: ['lockhound', key],
    link: detailsUrl(alert) ?? '',
  };
}
