import type { LocalIndex } from '../embedded/insights/local-index.ts';
import type { HttpClient } from '../http/client.ts';

/** An HTTP client whose answers come from an index in this process, with the content that the local service sends. */
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
