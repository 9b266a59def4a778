import type { NotifyConfig } from '../config/notify.ts';
import type { WebhookConfig } from '../config/route.ts';
import type { RouteMatch, RouteRule, Routing } from '../model/alert/routing.ts';
import { atLeast, type RatedSeverity } from '../model/scan/finding.ts';
import { presetNamed } from '../notify/webhooks/preset-webhook.ts';

const DEFAULT_ROUTE = 'default';

export interface ConfiguredWebhook {
  readonly route: string;
  readonly name: string;
  readonly webhook: WebhookConfig;
}

/** Every webhook with its route and name: those of the routes, then the default one. */
export function configuredWebhooks({ webhook, routes }: NotifyConfig): readonly ConfiguredWebhook[] {
  const named = routes.map((route) => ({
    route: route.name,
    name: route.webhook.name ?? `lockhound-${route.name}`,
    webhook: route.webhook,
  }));
  if (webhook === undefined) return named;
  return [...named, { route: DEFAULT_ROUTE, name: webhook.name ?? 'lockhound', webhook }];
}

/** Where changes go by the configuration; what a preset has no use for does not go by its route. */
export function routingOf(notify: NotifyConfig): Routing {
  const { routes, webhook, take, firstScan, minSeverity } = notify;
  const rule = (name: string, own: WebhookConfig, match: RouteMatch, rest: boolean): RouteRule => {
    const preset = presetNamed(own.preset);
    const transitions = match.transitions ?? preset.transitions;
    const least = worse(match.minSeverity, minSeverity);
    return {
      name,
      mode: own.mode ?? preset.mode ?? 'digest',
      rest,
      match: {
        ...match,
        ...(transitions === undefined ? {} : { transitions }),
        ...(least === undefined ? {} : { minSeverity: least }),
      },
    };
  };
  const named = routes.map((route) => rule(route.name, route.webhook, matchOf(route.match), false));
  const rest = webhook === undefined ? [] : [rule(DEFAULT_ROUTE, webhook, {}, true)];
  return { take, firstScan, rules: [...named, ...rest] };
}

/** Routes of mode `periodic`, and the time between two of their digests in milliseconds. */
export function periodicRoutes(notify: NotifyConfig): ReadonlyMap<string, number> {
  const every = new Map(configuredWebhooks(notify).map(({ route, webhook }) => [route, webhook.every]));
  const periodic = routingOf(notify).rules.filter(({ mode }) => mode === 'periodic');
  return new Map(periodic.map(({ name }) => [name, every.get(name) ?? 0]));
}

function worse(one: RatedSeverity | undefined, other: RatedSeverity | undefined): RatedSeverity | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return atLeast(one, other) ? one : other;
}

/** Without the keys that are not there. */
function matchOf(match: NotifyConfig['routes'][number]['match']): RouteMatch {
  return Object.fromEntries(Object.entries(match).filter(([, value]) => value !== undefined));
}
