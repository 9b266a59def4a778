import type { FastifyInstance } from 'fastify';
import type { RestDescription } from '../discovery/description/description.ts';
import { type CallOperation, createCall } from '../operations/call.ts';
import { withHidden } from './api/hidden.ts';
import { addPost, type RouteParts } from './api/post-route.ts';
import type { ServeContext } from './serve-context.ts';

/** Adds `POST /mcp`: the streamable HTTP transport of the Model Context Protocol. The tools have the rights of the caller. */
export function addMcp(
  app: FastifyInstance,
  document: RestDescription,
  context: ServeContext,
  parts: RouteParts,
): void {
  addPost(app, '/mcp', { ...parts, bodyLimit: 1_048_576 }, async (request, principal, signal) => {
    const own = createCall(document, context, principal);
    const call: CallOperation = (id, params, options) =>
      parts.askStore(() => withHidden(principal, () => own(id, params, { ...options, signal })));
    // The SDK is loaded with the first question.
    const { answerMcp, createMcpServer } = await import('./mcp.ts');
    const headers = request.headers as Readonly<Record<string, string>>;
    const asked = new Request(`http://localhost${request.url}`, { method: 'POST', headers });
    return await answerMcp(createMcpServer(document, call), asked, request.body);
  });
}
