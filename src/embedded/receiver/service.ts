import type { FastifyRequest } from 'fastify';
import { Faults } from '../faults.ts';
import { createServer, type LocalService, listen, type ServiceOptions, sendFault } from '../loopback.ts';
import { type Delivery, DeliveryLog, type ReceivedWebhook } from './deliveries.ts';

const BODY_LIMIT = 16 << 20;

export interface Receiver extends LocalService {
  readonly faults: Faults;
  /** Accepted deliveries, each `webhook-id` once. */
  deliveries(): readonly ReceivedWebhook[];
  /** Number of all requests, refused and broken ones included. */
  attempts(): number;
}

/**
 * Starts a receiver that accepts a POST or PUT on any path with 200 and stores it. `GET /deliveries` answers
 * `{"deliveries": […], "attempts": n}`, for other processes. With a fault of kind `drop-answer` the delivery is accepted and
 * the connection then broken; with any other fault it is not accepted. Throws `EmbeddedError`.
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
      if (fault === undefined || fault.kind === 'drop-answer') log.accept(id, delivery);
      return fault === undefined ? { received: id } : sendFault(fault, request, reply);
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
