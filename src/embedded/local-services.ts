import {
  type DiscoveryService,
  type DiscoveryServiceOptions,
  startDiscoveryService,
} from './discovery/service.ts';
import {
  type InsightsService,
  type InsightsServiceOptions,
  startInsightsService,
} from './insights/service.ts';
import type { LocalService, ServiceOptions } from './loopback.ts';
import { type Receiver, startReceiver } from './receiver/service.ts';
import { startWebhookService, type WebhookService, type WebhookServiceOptions } from './webhooks/service.ts';

/** Each service in its own words; the system chooses ports that are not given. */
export interface LocalServicesOptions {
  /** Address that all of them listen on unless they have their own; `127.0.0.1` by default. */
  readonly host?: string;
  readonly insights?: InsightsServiceOptions;
  readonly webhooks?: WebhookServiceOptions;
  readonly receiver?: ServiceOptions;
  /** Its documents lead to the services that are started with it, unless `rootUrls` says otherwise. */
  readonly discovery?: DiscoveryServiceOptions;
}

export interface LocalServices {
  readonly insights: InsightsService;
  readonly webhooks: WebhookService;
  readonly receiver: Receiver;
  readonly discovery: DiscoveryService;
  close(): Promise<void>;
}

/**
 * Starts the stand-ins of all three services and a receiver of alerts: real HTTP servers on this machine. Throws
 * `EmbeddedError`; nothing is left running then.
 */
export async function startLocalServices(options: LocalServicesOptions = {}): Promise<LocalServices> {
  const shared = options.host === undefined ? {} : { host: options.host };
  const started: LocalService[] = [];
  const close = async () => void (await Promise.all(started.map((service) => service.close())));
  const keep = <Service extends LocalService>(service: Service): Service => {
    started.push(service);
    return service;
  };
  try {
    const insights = keep(await startInsightsService({ ...shared, ...options.insights }));
    const webhooks = keep(await startWebhookService({ ...shared, ...options.webhooks }));
    const receiver = keep(await startReceiver({ ...shared, ...options.receiver }));
    const rootUrls = { insights: insights.url, webhooks: webhooks.url };
    const discovery = keep(await startDiscoveryService({ ...shared, rootUrls, ...options.discovery }));
    return { insights, webhooks, receiver, discovery, close };
  } catch (error) {
    await close();
    throw error;
  }
}
