import type { GithubEnvironment } from '../../config/github-environment.ts';
import { createHttpClient } from '../../http/undici-client.ts';
import type { Secret } from '../../model/secret.ts';
import { CiError } from './errors.ts';

export type GithubApi = ReturnType<typeof openGithubApi>;

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 16_777_216;
const SHOWN_CHARACTERS = 200;

/** Requests to the API of one repository. The token is sent to that API only. */
export function openGithubApi({ apiUrl, repository }: GithubEnvironment, token: Secret, signal: AbortSignal) {
  const http = createHttpClient({ totalTimeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES });
  return {
    /** Sends a request below the repository and returns the JSON of its answer. Throws `CiError` (`host-refused`), `HttpError`. */
    async send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<unknown> {
      const { status, body: answer } = await http.send({
        method,
        url: `${apiUrl}/repos/${repository}/${path}`,
        headers: {
          authorization: `Bearer ${token.reveal()}`,
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      });
      const text = answer.toString('utf8');
      if (status >= 200 && status < 300) return text === '' ? undefined : JSON.parse(text);
      const reason = text.slice(0, SHOWN_CHARACTERS).replace(/\s+/g, ' ');
      throw new CiError('host-refused', `${method} ${path}: HTTP ${status} ${reason}`);
    },
    close: () => http.close(),
  };
}
