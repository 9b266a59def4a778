import type { DiscoveryService, DiscoveryServiceOptions } from './discovery/service.ts';
import { startDiscoveryService } from './discovery/service.ts';
import type { InsightsService, InsightsServiceOptions } from './insights/service.ts';
import { startInsightsService } from './insights/service.ts';
import type { LocalService, ServiceOptions } from './loopback.ts';
import { type Receiver, startReceiver } from './receiver/service.ts';
import { startWebhookService, type WebhookService, type WebhookServiceOptions } from './webhooks/service.ts';

/** Options of each service; the system chooses ports that are not given. */
export interface LocalServicesOptions {
  /** The address of services without their own. Default `127.0.0.1`. */
  readonly host?: string;
  readonly insights?: InsightsServiceOptions;
  readonly webhooks?: WebhookServiceOptions;
  readonly receiver?: ServiceOptions;
  /** Its documents name the URLs of the services started here, unless `rootUrls` is given. */
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
 * Starts local versions of all three services and a receiver of alerts, as HTTP servers on this machine. Throws
 * `EmbeddedError` after closing the services that were started.
 */
export async function startLocalServices(options: LocalServicesOptions = {}): Promise<LocalServices> {
  const { host } = options;
  const started: LocalService[] = [];
  const close = async () => void (await Promise.all(started.map((service) => service.close())));
  const keep = <Service extends LocalService>(service: Service): Service => {
    started.push(service);
    return service;
  };
  try {
    const insights = keep(await startInsightsService({ host, ...options.insights }));
    const webhooks = keep(await startWebhookService({ host, ...options.webhooks }));
    const receiver = keep(await startReceiver({ host, ...options.receiver }));
    const rootUrls = { insights: insights.url, webhooks: webhooks.url };
    const discovery = keep(await startDiscoveryService({ host, rootUrls, ...options.discovery }));
    return { insights, webhooks, receiver, discovery, close };
  } catch (error) {
    await close();
    throw error;
  }
}
