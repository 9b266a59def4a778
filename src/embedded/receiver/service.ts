import type { FastifyRequest } from 'fastify';
import { Faults } from '../faults.ts';
import { actOut, createServer, type LocalService, listen, type ServiceOptions } from '../loopback.ts';
import { type Delivery, DeliveryLog, type ReceivedWebhook } from './deliveries.ts';

const BODY_LIMIT = 16 << 20;

export interface Receiver extends LocalService {
  readonly faults: Faults;
  /** What was taken, each `webhook-id` once. */
  deliveries(): readonly ReceivedWebhook[];
  /** All requests, refused and broken ones included. */
  attempts(): number;
}

/**
 * Starts a receiver that takes a POST or PUT on any path with 200 and remembers it. `GET /deliveries` answers
 * `{"deliveries": […], "attempts": n}`, for other processes. A fault of kind `drop-answer` takes the delivery and
 * then breaks the connection; every other fault leaves it untaken. Throws `EmbeddedError`.
 */
export async function startReceiver(options: ServiceOptions = {}): Promise<Receiver> {
  const faults = new Faults(options);
  const log = new DeliveryLog();
  const app = createServer(BODY_LIMIT);
  app.get('/deliveries', async () => ({ deliveries: log.webhooks, attempts: log.attempts }));
  app.route({
    method: ['POST', 'PUT'],
    url: '/*',
    handler: async (request, reply) => {
      const delivery = describe(request);
      const id = log.attempt(delivery);
      const fault = await faults.meet({ method: request.method, url: delivery.path });
      if (fault === undefined || fault.kind === 'drop-answer') log.take(id, delivery);
      return fault === undefined ? { received: id } : actOut(fault, request, reply);
    },
  });
  const service = await listen(app, 'The local receiver', options);
  return { ...service, faults, deliveries: () => log.webhooks, attempts: () => log.attempts };
}

function describe(request: FastifyRequest): Delivery {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return {
    receivedAt: new Date().toISOString(),
    method: request.method,
    path: request.raw.url ?? '/',
    headers: Object.fromEntries(headers),
    body: typeof request.body === 'string' ? request.body : '',
  };
}
