import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readPush } from '../../../src/server/triggers/push.ts';

const NOW = Date.parse('2026-05-01T08:00:00Z');
const SECRET = 'trigger-secret';

function github(change: object = {}, { repository = {}, secret = SECRET, event = 'push' } = {}) {
  const body = Buffer.from(
    JSON.stringify({
      ref: 'refs/heads/main',
      after: 'a'.repeat(40),
      repository: {
        clone_url: 'https://github.example/org/shop.git',
        full_name: 'org/shop',
        default_branch: 'main',
        pushed_at: NOW / 1_000 - 60,
        ...repository,
      },
      ...change,
    }),
  );
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return {
    body,
    now: NOW,
    headers: { 'x-github-event': event, 'x-hub-signature-256': `sha256=${signature}` },
  };
}

function gitlab(token = SECRET, ref = 'refs/heads/main') {
  const project = {
    git_http_url: 'https://gitlab.example/org/shop.git',
    path_with_namespace: 'org/shop',
    default_branch: 'main',
  };
  const body = Buffer.from(JSON.stringify({ object_kind: 'push', ref, after: 'b'.repeat(40), project }));
  return { body, now: NOW, headers: { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': token } };
}

describe('a webhook of a push', () => {
  it('names repository and branch', () => {
    expect(readPush('github', SECRET, github())).toMatchObject({
      repository: 'https://github.example/org/shop.git',
      name: 'org/shop',
      ref: 'main',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(readPush('gitlab', SECRET, gitlab())).toMatchObject({ name: 'org/shop', ref: 'main' });
  });

  it('is ignored when it is no push to the default branch', () => {
    expect(readPush('github', SECRET, github({ ref: 'refs/heads/other' }))).toBeUndefined();
    expect(readPush('github', SECRET, github({ ref: 'refs/tags/main' }))).toBeUndefined();
    expect(readPush('github', SECRET, github({ deleted: true }))).toBeUndefined();
    expect(readPush('github', SECRET, github({}, { event: 'ping' }))).toBeUndefined();
    expect(readPush('gitlab', SECRET, gitlab(SECRET, 'refs/heads/x'))).toBeUndefined();
  });

  it.each([
    ['signed with another secret', () => readPush('github', SECRET, github({}, { secret: 'x' })), 401],
    [
      'without a signature',
      () => readPush('github', SECRET, { ...github(), headers: { 'x-github-event': 'push' } }),
      401,
    ],
    ['changed', () => readPush('github', SECRET, { ...github(), body: github({ ref: 'x' }).body }), 401],
    ['with another token', () => readPush('gitlab', SECRET, gitlab('x')), 401],
    ['without a token', () => readPush('gitlab', SECRET, { ...gitlab(), headers: {} }), 401],
    [
      'older than a day',
      () => readPush('github', SECRET, github({}, { repository: { pushed_at: NOW / 1_000 - 90_000 } })),
      403,
    ],
    ['without a URL', () => readPush('github', SECRET, github({}, { repository: { clone_url: 7 } })), 400],
  ])('is refused %s', (_what, read, status) => {
    expect(read).toThrow(expect.objectContaining({ status }));
  });
});
