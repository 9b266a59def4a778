import type { LocalIndex } from '../embedded/insights/local-index.ts';
import type { HttpClient } from '../http/client.ts';

/** An HTTP client whose answers come from an index in this process, with the content that the local service sends. */
export function createLocalHttp(index: () => Promise<Pick<LocalIndex, 'answer'>>): HttpClient {
  return {
    async send({ method, url, body, signal }) {
      signal?.throwIfAborted();
      const { pathname, search } = new URL(url);
      const { answer } = await index();
      const answered = answer({ method, url: pathname + search, body: body?.toString() });
      return { ...answered, body: Buffer.from(answered.body) };
    },
    close: async () => {},
  };
}
