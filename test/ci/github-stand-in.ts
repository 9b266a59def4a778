import { once } from 'node:events';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';

export interface StandInComment {
  readonly id: number;
  readonly user: { readonly type: 'Bot' | 'User' };
  body: string;
}

interface State {
  readonly comments: StandInComment[];
  readonly uploads: { readonly ref: string; readonly sarif: string }[];
  refuses: boolean;
}

const COMMENTS = '/repos/acme/shop/issues/7/comments';

/** The answer to a request: its status and body. */
function handle(
  state: State,
  method: string,
  { pathname, searchParams }: URL,
  body: { readonly body: string; readonly ref: string; readonly sarif: string },
): readonly [status: number, body: unknown] {
  if (method === 'GET' && pathname === COMMENTS) {
    const from = (Number(searchParams.get('page')) - 1) * 100;
    return [200, state.comments.slice(from, from + 100)];
  }
  if (method === 'POST' && pathname === COMMENTS) {
    state.comments.push({ id: 1_000 + state.comments.length, user: { type: 'Bot' }, body: body.body });
    return [201, {}];
  }
  const id = Number(/^\/repos\/acme\/shop\/issues\/comments\/(\d+)$/.exec(pathname)?.[1]);
  const known = state.comments.find((comment) => comment.id === id);
  if (method === 'PATCH' && known !== undefined) {
    known.body = body.body;
    return [200, {}];
  }
  if (method === 'POST' && pathname === '/repos/acme/shop/code-scanning/sarifs') {
    const sarif = gunzipSync(Buffer.from(body.sarif, 'base64')).toString();
    state.uploads.push({ ref: body.ref, sarif });
    return [202, {}];
  }
  return [404, { message: 'Not Found' }];
}

/** The part of a code host's API that the Action uses, on loopback. `refuses`: it answers 403 to everything that writes. */
export async function startGithub(token: string) {
  const state = {
    comments: [] as StandInComment[],
    uploads: [] as { ref: string; sarif: string }[],
    refuses: false,
  };
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method = '', url = '' } = request;
    requests.push(`${method} ${url}`);
    const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${token}`)
      return answer(401, { message: 'Bad credentials' });
    if (method !== 'GET' && state.refuses) {
      return answer(403, { message: 'Resource not accessible by integration' });
    }
    const [status, body] = handle(
      state,
      method,
      new URL(url, 'http://github'),
      text === '' ? {} : JSON.parse(text),
    );
    return answer(status, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    state,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
