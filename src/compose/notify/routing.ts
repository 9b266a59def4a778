import type { NotifyConfig } from '../../config/sections/notify.ts';
import type { WebhookConfig } from '../../config/sections/route.ts';
import type { RouteMatch, RouteRule, Routing } from '../../model/alert/routing.ts';
import { atLeast, type RatedSeverity } from '../../model/scan/severity.ts';
import { presetNamed } from '../../notify/webhooks/preset-webhook.ts';

const DEFAULT_ROUTE = 'default';

/** Every webhook with its route and name: the routes in order, then the default route. */
export function configuredWebhooks({ webhook, routes }: NotifyConfig) {
  const named = routes.map((route) => ({
    route: route.name,
    name: route.webhook.name ?? `lockhound-${route.name}`,
    webhook: route.webhook,
  }));
  if (webhook === undefined) return named;
  return [...named, { route: DEFAULT_ROUTE, name: webhook.name ?? 'lockhound', webhook }];
}

/** The configured routes. A preset may limit the transitions of its route. */
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
      match: { ...match, transitions, minSeverity: least },
    };
  };
  const named = routes.map((route) => rule(route.name, route.webhook, route.match, false));
  const rest = webhook === undefined ? [] : [rule(DEFAULT_ROUTE, webhook, {}, true)];
  return { take, firstScan, rules: [...named, ...rest] };
}

/** Routes of mode `periodic` with the interval of their digests in milliseconds. */
export function periodicRoutes(notify: NotifyConfig): ReadonlyMap<string, number> {
  const every = new Map(configuredWebhooks(notify).map(({ route, webhook }) => [route, webhook.every]));
  const periodic = routingOf(notify).rules.filter(({ mode }) => mode === 'periodic');
  return new Map(periodic.map(({ name }) => [name, every.get(name) ?? 0]));
}

/** Routes that get reminders. */
export function remindedRoutes(notify: NotifyConfig): readonly string[] {
  return configuredWebhooks(notify).flatMap(({ route, webhook: { preset, reminders } }) =>
    (reminders ?? presetNamed(preset).reminders ?? true) ? route : [],
  );
}

/** Routes of mode `advisory`. */
export function issueRoutes(notify: NotifyConfig): readonly string[] {
  return routingOf(notify).rules.flatMap(({ name, mode }) => (mode === 'advisory' ? name : []));
}

function worse(one: RatedSeverity | undefined, other: RatedSeverity | undefined): RatedSeverity | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return atLeast(one, other) ? one : other;
}
