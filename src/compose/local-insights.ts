import type { LocalIndex } from '../embedded/insights/local-index.ts';
import type { HttpClient } from '../http/client.ts';

/** Answers requests from an index in this process, as the local service answers them over a connection. */
export function createLocalHttp(index: Pick<LocalIndex, 'answer'>): HttpClient {
  return {
    async send({ method, url, body, signal }) {
      signal?.throwIfAborted();
      const { pathname, search } = new URL(url);
      const answer = index.answer({ method, url: pathname + search, body: body?.toString() });
      return { ...answer, body: Buffer.from(answer.body) };
    },
    close: async () => {},
  };
}
