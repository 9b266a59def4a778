import { SOURCE_ECOSYSTEM } from '../model/lockfile/ecosystem.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { RuleText } from './rule.ts';
import { fingerprintOf } from './same-finding.ts';

export const STALE_FACTS = 'stale-facts';

/** Its finding comes from `check-freshness`. */
export const staleFactsText: RuleText = {
  name: STALE_FACTS,
  title: 'What is known of the packages is out of date',
  description: 'What is known of the fleet is out of date, because the service does not answer.',
  help: {
    means:
      'the service has not answered for longer than `watch.staleAfter` about at least one package ' +
      'version that a target holds, or about an advisory, so that new advisories are missed. It is ' +
      'checked once a minute, and more often when `watch.staleAfter` is less than ten minutes; it ' +
      'does not wait for a refresh to end.',
    sure: 'sure.',
    todo: '`lockhound health` names the reason: the service, the worker or a limit.',
  },
};

const PURL = 'pkg:generic/package-insights';

/** The finding that the facts of the fleet are out of date, because the service does not answer. `since`: RFC 3339. */
export function staleFacts(target: string, since: string, reason: string): Finding {
  return {
    fingerprint: fingerprintOf(target, STALE_FACTS, PURL, ''),
    rule: STALE_FACTS,
    level: 'alert',
    severity: 'high',
    title: `What is known of packages is out of date: there is no answer about some since ${since} (${reason.slice(0, 300)})`,
    package: {
      ecosystem: SOURCE_ECOSYSTEM,
      name: 'package-insights',
      version: '',
      purl: PURL,
      direct: true,
      groups: [],
    },
    issue: STALE_FACTS,
    locations: [{ path: 'insights', dependencyPath: [] }],
    advice: 'New advisories are not noticed until then. Check `insights.url` and the log of the workers.',
  };
}
