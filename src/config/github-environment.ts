import { Secret } from '../model/secret.ts';
import { ConfigError } from './errors.ts';

/** The variables by which a job of GitHub Actions describes itself. */
export interface GithubEnvironment {
  readonly apiUrl: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly sha: string;
  /** `refs/heads/main`, `refs/pull/1/merge`. */
  readonly ref: string;
  /** The JSON file of the event. */
  readonly eventPath: string;
  /** Files to which outputs and the summary are appended. */
  readonly outputFile: string | undefined;
  readonly summaryFile: string | undefined;
  /** An absent token means that Lockhound sends nothing to GitHub. */
  readonly token: Secret | undefined;
}

/** Reads the variables of GitHub Actions. Throws `ConfigError` (`config-invalid`) when they are missing or malformed. */
export function githubEnvironment(): GithubEnvironment {
  const { GITHUB_TOKEN: token, GITHUB_OUTPUT: outputFile, GITHUB_STEP_SUMMARY: summaryFile } = process.env;
  return {
    apiUrl: requiredUrl('GITHUB_API_URL'),
    repository: required('GITHUB_REPOSITORY', /^[\w.-]+\/[\w.-]+$/),
    sha: required('GITHUB_SHA', /^[0-9a-f]{40,64}$/),
    ref: required('GITHUB_REF', /^refs\/\S+$/),
    eventPath: required('GITHUB_EVENT_PATH', /./),
    outputFile: outputFile || undefined,
    summaryFile: summaryFile || undefined,
    token: token ? new Secret(token) : undefined,
  };
}

/** The repository in which a job opens pull requests. */
export interface ProposalEnvironment {
  readonly host: 'github' | 'gitlab';
  /** The address of the project in the API, without a slash at the end. */
  readonly apiUrl: string;
  /** Who has the project; part of the names of branches at GitHub. */
  readonly owner: string;
  /** The address of the host, which alone gets the token with a push. */
  readonly serverUrl: string;
  /** The repository that the branch is pushed to. */
  readonly pushUrl: string;
  /** The branch that the job runs for; absent in a job of a pull request or tag. */
  readonly base: string | undefined;
  readonly token: Secret | undefined;
}

/**
 * Reads the variables of GitHub Actions or GitLab CI, and removes the token from the environment of this process: the commands of a fix
 * must not have it. Throws `ConfigError` (`config-invalid`) when they are missing or malformed.
 */
export function proposalEnvironment(): ProposalEnvironment {
  const isGitlab = process.env['GITLAB_CI'] === 'true';
  const token = isGitlab ? takeToken('GITLAB_TOKEN') : takeToken('GITHUB_TOKEN');
  const serverUrl = requiredUrl(isGitlab ? 'CI_SERVER_URL' : 'GITHUB_SERVER_URL');
  const path = isGitlab
    ? required('CI_PROJECT_PATH', /^[\w.-]+(?:\/[\w.-]+)+$/)
    : required('GITHUB_REPOSITORY', /^[\w.-]+\/[\w.-]+$/);
  const ref = isGitlab
    ? process.env['CI_COMMIT_BRANCH']
    : /^refs\/heads\/(.+)$/s.exec(required('GITHUB_REF', /./))?.[1];
  return {
    host: isGitlab ? 'gitlab' : 'github',
    apiUrl: isGitlab
      ? `${requiredUrl('CI_API_V4_URL')}/projects/${required('CI_PROJECT_ID', /^\d+$/)}`
      : `${requiredUrl('GITHUB_API_URL')}/repos/${path}`,
    owner: path.split('/', 1)[0] ?? '',
    serverUrl,
    pushUrl: `${serverUrl}/${path}.git`,
    base: ref || undefined,
    token,
  };
}

function required(name: string, pattern: RegExp): string {
  const value = process.env[name] ?? '';
  if (pattern.test(value)) return value;
  throw new ConfigError(
    'config-invalid',
    `${name} is not set as its code host sets it; this command runs in jobs of GitHub Actions or GitLab CI`,
  );
}

/** The URL of the variable, without a slash at the end. */
function requiredUrl(name: string): string {
  return required(name, /^https?:\/\/[^\s]+$/).replace(/(?<!\/)\/+$/, '');
}

function takeToken(name: string): Secret | undefined {
  const value = process.env[name];
  delete process.env[name];
  return value ? new Secret(value) : undefined;
}
