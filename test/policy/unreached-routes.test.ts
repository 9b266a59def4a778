import { describe, expect, it } from 'vitest';
import type { RouteMatch, RouteRule, Routing } from '../../src/model/alert/routing.ts';
import { createRouteReach } from '../../src/policy/routing/unreached-routes.ts';

const route = (name: string, match: RouteMatch = {}, rest = false): RouteRule => ({
  name,
  mode: 'digest',
  match,
  rest,
});
const DEFAULT = route('default', {}, true);

/** The routes that targets with these teams do not reach, each with the route that takes everything before it. */
function unreached(rules: readonly RouteRule[], teams: readonly string[], take: Routing['take'] = 'all') {
  const reach = createRouteReach({ take, firstScan: 'all', rules });
  for (const team of teams) reach.add({ id: `shop/${team}`, labels: { team } });
  return reach.unreached().map((one) => `${one.route}: ${one.takenBy ?? 'labels'}`);
}

describe('routes that no target reaches', () => {
  it('are those whose labels no target has, wildcards included', () => {
    const rules = [route('web', { labels: { team: ['web'] } }), route('ops', { labels: { team: ['op*'] } })];
    expect(unreached(rules, ['web', 'ops'])).toEqual([]);
    expect(unreached(rules, ['web', 'Ops', 'api'])).toEqual(['ops: labels']);
    expect(unreached([route('org', { labels: { org: ['*'] } })], ['web'])).toEqual(['org: labels']);
  });

  it('are default routes beside one without conditions, unless it has other labels', () => {
    expect(unreached([route('all'), DEFAULT], ['web'])).toEqual(['default: all']);
    expect(unreached([route('bad', { minSeverity: 'high' }), DEFAULT], ['web'])).toEqual([]);
    const labelled = [route('web', { labels: { team: ['web'] } }), DEFAULT];
    expect(unreached(labelled, ['web'])).toEqual(['default: web']);
    expect(unreached(labelled, ['web', 'ops'])).toEqual([]);
  });

  it('are, with `take: first`, those after a route that matches the same and more', () => {
    const high = route('high', { minSeverity: 'high' });
    const critical = route('critical', { minSeverity: 'critical', kev: true });
    expect(unreached([high, critical], ['web'], 'first')).toEqual(['critical: high']);
    expect(unreached([critical, high], ['web'], 'first')).toEqual([]);
    expect(unreached([high, critical], ['web'], 'all')).toEqual([]);
    expect(unreached([high, route('low', { minSeverity: 'low' })], ['web'], 'first')).toEqual([]);
  });

  it('are none of those that alone get suppressions or fixes that become known later', () => {
    const rules = [
      route('all'),
      route('silent', { transitions: ['suppressed'] }),
      route('fix', { fixable: true }),
    ];
    expect(unreached(rules, ['web'], 'first')).toEqual([]);
  });
});
