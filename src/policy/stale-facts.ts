import { SOURCE_ECOSYSTEM } from '../model/lockfile/ecosystem.ts';
import type { Finding } from '../model/scan/finding.ts';
import { fingerprintOf } from './fingerprint.ts';

/** Its finding comes from `check-freshness`, not from a rule of the catalog. */
export const STALE_FACTS = 'stale-facts';

const PURL = 'pkg:generic/package-insights';

/** What the fleet knows is out of date, because the service does not answer. `since`: RFC 3339. */
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
