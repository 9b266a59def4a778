import type { Command } from 'commander';
import { loadConfig } from '../../config/load.ts';
import { serverToken } from '../../config/secret-reference.ts';
import { httpUrl } from '../../config/values.ts';
import { readBundledDescription } from '../../discovery/bundled.ts';
import { createApiClient } from '../../discovery/client.ts';
import { findMethod } from '../../discovery/description/methods.ts';
import { createHttpClient } from '../../http/undici-client.ts';
import { defined } from '../../model/defined.ts';
import { isObject } from '../../model/json-object.ts';
import { RawAnswer } from '../../operations/operation.ts';
import { Refusal } from '../../operations/refusal.ts';
import { CommandError } from '../program/errors.ts';
import type { ConfigOptions } from '../program/options.ts';
import type { Caller } from './caller.ts';
import type { View } from './noun.ts';

export interface ServerOptions extends ConfigOptions {
  /** URL of a running server. Default: `serve.url`. */
  readonly server?: string;
}

/** Adds `--server`. */
export function withServer(command: Command): Command {
  return command.option(
    '--server <url>',
    'ask this server, with the token in LOCKHOUND_TOKEN, in place of Redis',
  );
}

/** Throws `ConfigError`, `StoreError`, and `CommandError` (`options-unsuited`) for a URL that is none. */
export async function openCaller(
  { config: file, server }: ServerOptions,
  { local, method: only }: Pick<View, 'local' | 'method'> = {},
): Promise<Caller> {
  const loaded = loadConfig({ file });
  const url = server ?? loaded.config.serve.url;
  if (url !== undefined) return await remoteCaller(url);
  const own = local?.(loaded);
  if (own !== undefined)
    return {
      maxPage: MAX_PAGE,
      unreadable: [],
      ...(only === undefined ? {} : { only }),
      call: async (_id, _params, { body, signal } = {}) => (await own(body, signal)) as never,
      close: async () => {},
    };
  const { openLocalCaller } = await import('./local-caller.ts');
  return await openLocalCaller(loaded);
}

/** The largest `pageSize` of the document. */
const MAX_PAGE = 500;

/** The token comes from the environment, and goes to this URL only: redirects are not followed. */
async function remoteCaller(url: string): Promise<Caller> {
  if (!httpUrl.safeParse(url).success || new URL(url).username !== '')
    throw new CommandError('options-unsuited', '--server: expected an http or https URL without credentials');
  const document = await readBundledDescription('lockhound.v1');
  const http = createHttpClient();
  const token = serverToken();
  const headers = () => (token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` });
  const client = createApiClient({ document, http, rootUrl: url, headers });
  return {
    maxPage: MAX_PAGE,
    unreadable: [],
    async call(id, params, { body, signal } = {}) {
      const {
        content,
        status,
        body: bytes,
      } = await client.call(id, { params: defined(params), body, signal });
      if (status >= 400) throw problemOf(status, content.kind === 'json' ? content.value : undefined);
      const isText = findMethod(document, id).response === undefined;
      const answer =
        content.kind === 'json' && !isText ? content.value : new RawAnswer(bytes.toString('utf8'));
      return answer as never;
    },
    close: http.close,
  };
}

/** The problem of an answer as the error that a command in this process throws. */
function problemOf(status: number, problem: unknown): Refusal {
  const { type, detail } = isObject(problem) ? problem : {};
  if (typeof type !== 'string' || typeof detail !== 'string')
    return new Refusal(
      status,
      'server-failed',
      `the server answers with status ${status}, and no problem of Lockhound`,
    );
  return new Refusal(status, type.replace('urn:lockhound:problem:', ''), detail);
}
