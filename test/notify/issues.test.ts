import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Notification } from '../../src/model/alert/notification.ts';
import { alertOf } from '../../src/notify/alert/alert.ts';
import { valuesOf } from '../../src/notify/rendering/values.ts';
import { changeOf, notificationOf } from './notification.ts';

interface Issue {
  number: number;
  state: 'open' | 'closed';
  title: string;
  body: string;
  labels: readonly string[];
  comments: string[];
}

const renderedOf = (name: string, notification: Notification) =>
  JSON.parse(valuesOf(alertOf(notification), {}).get(name)?.json ?? '');

const alert = (
  transition: Parameters<typeof changeOf>[2],
  more: Partial<Notification> = {},
): Notification => ({
  ...notificationOf([changeOf('left-pad', undefined, transition)]),
  mode: 'change',
  ...more,
});

/** The script of the workflow in examples/, as `actions/github-script` runs it. */
const workflow = parse(readFileSync(join(import.meta.dirname, '../../examples/github-issue.yaml'), 'utf8'));
const [step] = workflow.jobs.issue.steps;
const AsyncFunction = (async () => {}).constructor as new (
  ...args: readonly string[]
) => (...values: readonly unknown[]) => Promise<void>;
const script = new AsyncFunction('github', 'context', 'core', step.with.script);

/** A stand-in for the issues of a repository, with the parameters of GitHub's REST API. */
function repository() {
  const issues: Issue[] = [];
  const rest = {
    issues: {
      async listForRepo({ labels, state }: { labels: string; state: string }) {
        expect(state).toBe('all');
        return { data: issues.filter((issue) => issue.labels.includes(labels)) };
      },
      async create({ title, body, labels }: Pick<Issue, 'title' | 'body' | 'labels'>) {
        issues.push({ number: issues.length + 1, state: 'open', title, body, labels, comments: [] });
      },
      async createComment({ issue_number: number, body }: { issue_number: number; body: string }) {
        issues.find((issue) => issue.number === number)?.comments.push(body);
      },
      async update({ issue_number: number, state }: { issue_number: number; state: Issue['state'] }) {
        for (const issue of issues) if (issue.number === number) issue.state = state;
      },
    },
  };
  return {
    issues,
    dispatch: async (notification: Notification) => {
      const payload = { client_payload: renderedOf('GITHUB_ISSUE', notification) };
      await script({ rest }, { payload, repo: { owner: 'acme', repo: 'security' } }, { info: () => {} });
    },
  };
}

describe('an issue in GitHub', () => {
  it('is created once, commented, closed with its finding and reopened with it', async () => {
    const { issues, dispatch } = repository();
    await dispatch(alert('resolved'));
    expect(issues).toEqual([]);
    await dispatch(alert('opened'));
    expect(issues).toMatchObject([
      { state: 'open', title: 'shop/web: left-pad@1.2.3: Prototype pollution', comments: [] },
    ]);
    await dispatch(alert('worsened'));
    expect(issues[0]).toMatchObject({
      state: 'open',
      comments: [expect.stringContaining('**worsened** high')],
    });
    await dispatch(alert('resolved'));
    expect(issues[0]).toMatchObject({ state: 'closed' });
    await dispatch(alert('reopened'));
    expect(issues).toMatchObject([{ state: 'open', comments: { length: 3 } }]);
  });

  it('is one for an advisory over all targets, and stays open until a person closes it', async () => {
    const { issues, dispatch } = repository();
    for (const id of ['2 targets', '1 target']) {
      await dispatch(alert('opened', { mode: 'advisory', target: { id, labels: {} } }));
    }
    await dispatch(alert('resolved', { mode: 'advisory' }));
    expect(issues).toMatchObject([
      { state: 'open', title: 'left-pad@1.2.3: Prototype pollution', comments: { length: 2 } },
    ]);
  });

  it('mentions nobody and contains no markup of a package', () => {
    const change = changeOf('@evil/x', '@channel <img src=x> [click](https://evil.example) `code`');
    const { body } = renderedOf('GITHUB_ISSUE', { ...notificationOf([change]), mode: 'change' });
    expect(body).not.toMatch(/@(?=\w)|(?<!\\)<img|(?<!\\)\[click/);
  });

  it('runs the workflow for one key after the other, and may only write issues', () => {
    expect(workflow.permissions).toEqual({ issues: 'write' });
    expect(workflow.concurrency.group).toContain('client_payload.key');
  });
});

describe('an issue in Jira', () => {
  it('has the same key for all alerts of a finding', () => {
    const [opened, resolved] = [
      renderedOf('JIRA_ISSUE', alert('opened')),
      renderedOf('JIRA_ISSUE', alert('resolved')),
    ];
    expect([opened.action, resolved.action]).toEqual(['open', 'close']);
    expect(resolved.key).toBe(opened.key);
    expect(opened).toMatchObject({
      priority: 'High',
      labels: ['lockhound', opened.key],
      summary: resolved.summary,
    });
  });
});

describe('Mattermost', () => {
  it('gets the whole alert in the text of the preset slack, without mentions', () => {
    const changes = [changeOf('@types/node', '@channel *look*'), changeOf('b')];
    const text = valuesOf(alertOf(notificationOf(changes)), {}).get('SLACK_TEXT')?.text ?? '';
    expect(text.split('\n')).toEqual([
      '[high] shop/web: 2 opened',
      '@\u200btypes/node@\u200b1.2.3 · package-lock.json:7',
      expect.stringContaining('• opened high: @\u200bchannel'),
      'b@\u200b1.2.3 · package-lock.json:7',
      '• opened high: Prototype pollution <https://osv.dev/GHSA-aaaa-bbbb-cccc|GHSA-aaaa-bbbb-cccc>',
    ]);
  });
});
