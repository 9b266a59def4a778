/** The library entry `lockhound/testing`: starts the local services from a program. docs/services.md describes them. */

export type { RestDescription } from './discovery/description/description.ts';
export {
  type DiscoveryService,
  type DiscoveryServiceOptions,
  startDiscoveryService,
} from './embedded/discovery/service.ts';
export { EmbeddedError, type EmbeddedErrorCode } from './embedded/errors.ts';
export {
  type ErrorShape,
  type Fault,
  type FaultOptions,
  type FaultRequest,
  type FaultRule,
  type Faults,
  garbageAnswer,
  htmlAnswer,
  type InjectOptions,
  LISTED_ERRORS,
  PLAIN_ERRORS,
  type RateLimit,
  tooManyRequests,
} from './embedded/faults.ts';
export {
  type AdvisoryFact,
  type ImageFact,
  type IndexedPackage,
  type IndexedVersion,
  type InsightsData,
  type ProjectFact,
  readBundledData,
} from './embedded/insights/data-set.ts';
export { readInsightsData } from './embedded/insights/given-data.ts';
export type { InsightsStats } from './embedded/insights/local-index.ts';
export {
  type InsightsService,
  type InsightsServiceOptions,
  startInsightsService,
} from './embedded/insights/service.ts';
export {
  type LocalServices,
  type LocalServicesOptions,
  startLocalServices,
} from './embedded/local-services.ts';
export type { ListenOptions, LocalService, ServiceOptions } from './embedded/loopback.ts';
export type { Delivery, ReceivedWebhook } from './embedded/receiver/deliveries.ts';
export { type Receiver, startReceiver } from './embedded/receiver/service.ts';
export type { WebhookCall } from './embedded/webhooks/call.ts';
export type { PlatformEvent } from './embedded/webhooks/event.ts';
export type { StoredVariable, StoredWebhook } from './embedded/webhooks/model.ts';
export {
  type Permission,
  startWebhookService,
  type WebhookKey,
  type WebhookService,
  type WebhookServiceOptions,
  type WebhookSnapshot,
} from './embedded/webhooks/service.ts';
