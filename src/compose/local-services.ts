import { type DiscoveryService, startDiscoveryService } from '../embedded/discovery/service.ts';
import { type InsightsService, startInsightsService } from '../embedded/insights/service.ts';
import { type Receiver, startReceiver } from '../embedded/receiver/service.ts';
import { startWebhookService, type WebhookService } from '../embedded/webhooks/service.ts';
import type { Secret } from '../model/secret.ts';

export interface LocalServicesOptions {
  /** Credentials that the webhook-integration service asks for. */
  readonly apiKey: Secret;
  readonly applicationKey: Secret;
  readonly host?: string;
  /** Ports; 0 or none lets the system choose. */
  readonly insightsPort?: number;
  readonly webhooksPort?: number;
  readonly receiverPort?: number;
  readonly discoveryPort?: number;
}

export interface LocalServices {
  readonly insights: InsightsService;
  readonly webhooks: WebhookService;
  readonly receiver: Receiver;
  readonly discovery: DiscoveryService;
  close(): Promise<void>;
}

/** Starts the stand-ins of all three services and a receiver of alerts: real HTTP servers on this machine. */
export async function startLocalServices(options: LocalServicesOptions): Promise<LocalServices> {
  const listen = (port: number | undefined) => ({
    ...(port === undefined ? {} : { port }),
    ...(options.host === undefined ? {} : { host: options.host }),
  });
  const started: { close(): Promise<void> }[] = [];
  const close = async () => void (await Promise.all(started.map((service) => service.close())));
  const keep = <Service extends { close(): Promise<void> }>(service: Service): Service => {
    started.push(service);
    return service;
  };
  try {
    const insights = keep(await startInsightsService(listen(options.insightsPort)));
    const webhooks = keep(
      await startWebhookService({
        ...listen(options.webhooksPort),
        apiKey: options.apiKey.reveal(),
        applicationKey: options.applicationKey.reveal(),
      }),
    );
    const receiver = keep(await startReceiver(listen(options.receiverPort)));
    const discovery = keep(
      await startDiscoveryService({
        ...listen(options.discoveryPort),
        rootUrls: { insights: insights.url, webhooks: webhooks.url },
      }),
    );
    return { insights, webhooks, receiver, discovery, close };
  } catch (error) {
    await close();
    throw error;
  }
}
