import { afterEach, describe, expect, it, vi } from 'vitest';
import { lockhound } from './lockhound.ts';

const GITHUB = {
  GITLAB_CI: '',
  GITHUB_SERVER_URL: 'https://github.example',
  GITHUB_API_URL: 'https://github.example/api/v3/',
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_REF: 'refs/heads/main',
  GITHUB_TOKEN: 'secret-token-4e1f',
};
const GITLAB = {
  GITLAB_CI: 'true',
  CI_SERVER_URL: 'https://gitlab.example',
  CI_API_V4_URL: 'https://gitlab.example/api/v4',
  CI_PROJECT_ID: '42',
  CI_PROJECT_PATH: 'acme/group/shop',
  CI_COMMIT_BRANCH: 'main',
  GITLAB_TOKEN: 'secret-token-4e1f',
};

afterEach(() => vi.unstubAllEnvs());

describe('lockhound ci fix', () => {
  it.each<[string, Readonly<Record<string, string>>, number, RegExp]>([
    ['outside of a job', { ...GITHUB, GITHUB_SERVER_URL: '' }, 2, /GITHUB_SERVER_URL is not set/],
    ['with a malformed project', { ...GITHUB, GITHUB_REPOSITORY: '../x?y' }, 2, /GITHUB_REPOSITORY is not/],
    ['without a token', { ...GITHUB, GITHUB_TOKEN: '' }, 2, /GITHUB_TOKEN is not set/],
    ['without a token at GitLab', { ...GITLAB, GITLAB_TOKEN: '' }, 2, /GITLAB_TOKEN is not set/],
    ['in a job of a pull request', { ...GITHUB, GITHUB_REF: 'refs/pull/7/merge' }, 2, /for no branch/],
    ['in a job of a merge request', { ...GITLAB, CI_COMMIT_BRANCH: '' }, 2, /for no branch/],
    [
      'in a job of its own branch',
      { ...GITHUB, GITHUB_REF: 'refs/heads/lockhound/fixes' },
      0,
      /nothing to do/,
    ],
  ])('scans nothing %s', async (_, variables, expected, said) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const { code, out, note } = await lockhound(['ci', 'fix', 'examples/shop', '--local']);
    expect([code, out + note]).toEqual([expected, expect.stringMatching(said)]);
    expect(out + note).not.toContain('secret-token');
    // Commands that a fix runs have the environment of this process.
    for (const name of ['GITHUB_TOKEN', 'GITLAB_TOKEN'])
      if (name in variables && expected === 0) expect(process.env[name]).toBeUndefined();
  });

  it('takes a folder', async () => {
    const { code, note } = await lockhound(['ci', 'fix', 'examples/shop/package-lock.json']);
    expect([code, note]).toEqual([2, expect.stringContaining('takes one folder')]);
  });
});
