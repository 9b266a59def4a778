import { Secret } from '../model/secret.ts';
import { ConfigError } from './errors.ts';

/** What a job of GitHub Actions says about itself. */
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
  /** Absent: nothing is sent to GitHub. */
  readonly token: Secret | undefined;
}

/** Reads the variables of GitHub Actions. Throws `ConfigError` (`config-invalid`) when they are missing or malformed. */
export function githubEnvironment(): GithubEnvironment {
  const environment = process.env;
  const required = (name: string, pattern: RegExp): string => {
    const value = environment[name] ?? '';
    if (pattern.test(value)) return value;
    throw new ConfigError(
      'config-invalid',
      `${name} is not set as GitHub Actions sets it; this command runs in its jobs`,
    );
  };
  const { GITHUB_TOKEN: token, GITHUB_OUTPUT: outputFile, GITHUB_STEP_SUMMARY: summaryFile } = environment;
  return {
    apiUrl: required('GITHUB_API_URL', /^https?:\/\/[^\s]+$/).replace(/(?<!\/)\/+$/, ''),
    repository: required('GITHUB_REPOSITORY', /^[\w.-]+\/[\w.-]+$/),
    sha: required('GITHUB_SHA', /^[0-9a-f]{40,64}$/),
    ref: required('GITHUB_REF', /^refs\/\S+$/),
    eventPath: required('GITHUB_EVENT_PATH', /./),
    outputFile: outputFile || undefined,
    summaryFile: summaryFile || undefined,
    token: token ? new Secret(token) : undefined,
  };
}
