import type { LockhoundMethods } from '../../../src/model/api/lockhound-api.generated.ts';
import { METHODS } from './methods.generated.ts';

export type MethodId = keyof LockhoundMethods;
export type Params<Id extends MethodId> = LockhoundMethods[Id]['params'];
export type Answer<Id extends MethodId> = LockhoundMethods[Id]['response'];

/** The API refused a request, or did not answer (status 0). The message is for the reader. */
export class CallError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface CallOptions<Id extends MethodId> {
  readonly body?: LockhoundMethods[Id]['body'];
  readonly signal?: AbortSignal;
}

/** Waits between attempts of a read that the server cannot answer yet, in milliseconds. */
const PAUSES = [500, 1_000, 2_000, 4_000];

/** Calls a method of the API. Reads are repeated while the server is busy or starts. Throws `CallError`. */
export async function call<Id extends MethodId>(
  id: Id,
  params: Params<Id>,
  options: CallOptions<Id> = {},
): Promise<Answer<Id>> {
  const { verb, path } = METHODS[id];
  for (let attempt = 0; ; attempt += 1) {
    const answer = await send(verb, `/api/v1/${urlOf(path, params)}`, options);
    const pause = PAUSES[attempt];
    const isBusy = answer.status === 503 || answer.status === 429;
    if (verb === 'GET' && isBusy && pause !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      options.signal?.throwIfAborted();
      continue;
    }
    if (answer.ok) return (await answer.json()) as Answer<Id>;
    throw new CallError(answer.status, await reasonOf(answer));
  }
}

async function send(
  method: string,
  url: string,
  { body, signal }: { readonly body?: unknown; readonly signal?: AbortSignal },
): Promise<Response> {
  const content =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  try {
    return await fetch(url, { method, ...content, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new CallError(0, 'The server does not answer.');
  }
}

/** Why the API refused a request, for the reader. */
export async function reasonOf(answer: Response): Promise<string> {
  const problem = (await answer.json().catch(() => ({}))) as { readonly detail?: unknown };
  return typeof problem.detail === 'string' ? problem.detail : `the server answered ${answer.status}`;
}

/** The path with its parameters; the others as the query. */
export function urlOf(path: string, params: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    if (path.includes(`{${name}}`)) {
      filled = filled.replace(`{${name}}`, () => encodeURIComponent(String(value)));
      continue;
    }
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}
