import { z } from 'zod';
import { createHttpClient } from '../../http/undici-client.ts';
import type { Secret } from '../../model/secret.ts';
import { CiError, type CiErrorCode } from './errors.ts';

export type HostApi = ReturnType<typeof openHostApi>;

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 16_777_216;
const SHOWN_CHARACTERS = 200;

const CODES: Readonly<Record<number, CiErrorCode>> = {
  404: 'host-missing',
  409: 'host-conflict',
  422: 'host-conflict',
};

interface HostApiOptions {
  /** The address of a project, without a slash at the end. */
  readonly url: string;
  /** The headers of each request, with the token, which is sent to that address only. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Requests to the API of one project of a code host. */
export function openHostApi({ url, headers, signal }: HostApiOptions) {
  const http = createHttpClient({ totalTimeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES });
  /** Sends a request below the project and returns the JSON of its answer. Throws `CiError`, `HttpError`. */
  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'PUT',
    path: string,
    body?: object,
  ): Promise<unknown> => {
    const { status, body: answer } = await http.send({
      method,
      url: `${url}/${path}`,
      headers: { ...headers(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    const text = answer.toString('utf8');
    if (status >= 200 && status < 300) return text === '' ? undefined : JSON.parse(text);
    const reason = text.slice(0, SHOWN_CHARACTERS).replace(/\s+/g, ' ');
    throw new CiError(CODES[status] ?? 'host-refused', `${method} ${path}: HTTP ${status} ${reason}`);
  };
  return {
    send,
    /** Reads an answer. Throws as `send`. */
    async read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>> {
      const parsed = schema.safeParse(await send('GET', path));
      if (parsed.success) return parsed.data;
      throw new CiError(
        'host-refused',
        `GET ${path}: not the answer of the API: ${z.prettifyError(parsed.error)}`,
      );
    },
    close: () => http.close(),
  };
}

/** Headers of each request to GitHub's API. */
export function githubHeaders(token: Secret): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${token.reveal()}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  };
}
