import type { Alert } from '../alert/alert.ts';
import { issueAction, issueKey, issueMarkdown, issueTitle } from '../alert/issue.ts';
import { worstSeverity } from '../alert/summary.ts';
import type { Preset } from './preset.ts';

const MAX_TITLE = 240;
/** An issue may have 65,536 characters, `client_payload` 64 KB of UTF-8. */
const MAX_BODY = 20_000;

/**
 * Issues in GitHub. Commenting and closing need the number of an issue, which one request cannot look up: the preset starts a workflow
 * (`examples/github-issue.yaml`) that creates, comments, reopens and closes.
 * https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event
 */
export const githubIssuePreset: Preset = {
  name: 'github-issue',
  description: 'GitHub: one issue for each finding, commented and closed by a workflow of the repository.',
  encodeAs: 'json',
  reminders: false,
  headers: {
    accept: 'application/vnd.github+json',
    authorization: 'Bearer $GITHUB_TOKEN',
    'x-github-api-version': '2022-11-28',
  },
  payload: '{"event_type": "lockhound.issue", "client_payload": $GITHUB_ISSUE}',
  secret: { name: 'GITHUB_TOKEN', description: 'token with write access to the contents of the repository' },
  mode: 'change',
  limits: ['`client_payload`: 10 keys and 64 KB', 'title: 256 characters'],
  variables: [
    {
      name: 'GITHUB_ISSUE',
      description:
        'JSON: `action` (`open`, `comment`, `close`), `key`, `title`, `body`, `labels` of an issue.',
      json: issueOf,
    },
  ],
};

function issueOf(alert: Alert): object {
  return {
    action: issueAction(alert),
    key: issueKey(alert),
    title: issueTitle(alert, MAX_TITLE),
    body: issueMarkdown(alert, MAX_BODY),
    labels: ['lockhound', `severity:${worstSeverity(alert)}`],
  };
}
