import type { Notification, NotifiedChange } from '../../src/model/alert/notification.ts';
import type { Change } from '../../src/model/scan/change.ts';

/** A change about a package of any name. */
export function changeOf(
  name: string,
  title = 'Prototype pollution',
  transition: Change['transition'] = 'opened',
): Change {
  return {
    transition,
    finding: {
      fingerprint: 'f'.repeat(32),
      rule: 'vulnerability',
      level: 'alert',
      severity: 'high',
      title,
      package: {
        ecosystem: 'npm',
        name,
        version: '1.2.3',
        purl: `pkg:npm/${encodeURIComponent(name.toWellFormed())}@1.2.3`,
        direct: undefined,
        groups: [],
      },
      locations: [{ path: 'package-lock.json', line: 7, dependencyPath: [] }],
      advisory: {
        id: 'GHSA-aaaa-bbbb-cccc',
        aliases: ['CVE-2026-0001'],
        title,
        url: 'https://osv.dev/GHSA-aaaa-bbbb-cccc',
        score: 7.5,
      },
    },
  };
}

/** A notification with these changes. */
export function notificationOf(changes: readonly NotifiedChange[] = [changeOf('left-pad')]): Notification {
  return {
    id: 'msg_0123456789abcdef',
    route: 'default',
    scan: 'scan-1',
    target: { id: 'shop/web', labels: { team: 'web', org: 'Shop' } },
    date: '2026-11-21T03:04:05.000Z',
    changes,
    open: { critical: 0, high: 1, medium: 2, low: 0, none: 0, unrated: 3 },
    gaps: 4,
  };
}
