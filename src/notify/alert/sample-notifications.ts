import type { Notification, NotifiedChange } from '../../model/alert/notification.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { TRANSITIONS } from '../../model/scan/transition.ts';

/** A notification of one kind, with a name for messages. */
export interface Sample {
  readonly event: string;
  readonly notification: Notification;
}

/** More changes than any receiver lists. */
const MANY = 60;
/** Everything that a template must escape. */
const HOSTILE = 'a "quoted" \\ text\nwith $TARGET, {{braces}}, <!channel> and 😀';

/** One notification of every kind: all transitions and modes, first scans, no changes, missing values, and difficult texts. */
export function sampleNotifications(): readonly Sample[] {
  const usual = changeOf(usualFinding());
  return [
    ...TRANSITIONS.flatMap((transition) => transitionSamples({ ...usual, transition })),
    sample('a digest of every transition', {
      changes: TRANSITIONS.map((one) => ({ ...usual, transition: one })),
    }),
    sample('a digest without changes', { changes: [] }),
    sample('a digest of many changes', { changes: Array.from({ length: MANY }, () => usual) }),
    sample('a digest of which changes are left out', { omitted: { opened: 3, resolved: 2 } }),
    sample('a periodic digest of several targets', {
      mode: 'periodic',
      target: { id: '2 targets', labels: {} },
      changes: [
        { ...usual, target: 'shop/web' },
        { ...usual, target: 'shop/api' },
      ],
    }),
    sample('an issue of several targets (mode advisory)', {
      mode: 'advisory',
      changes: [
        { ...usual, target: 'shop/web' },
        { ...usual, target: 'shop/api', transition: 'resolved' },
      ],
    }),
    sample('the summary of a first scan', { firstScan: 'opened' }),
    sample('the end of a first-scan summary', { firstScan: 'resolved', changes: [] }),
    sample('findings that a new route gets', { existing: true }),
    sample('a reminder of findings that are still open', {
      reminder: true,
      mode: 'periodic',
      changes: [{ ...usual, since: '2025-12-01T00:00:00.000Z' }],
    }),
    sample('a test', { test: true }),
    sample('a finding without description', { changes: [changeOf({ ...usualFinding(), ...EMPTY_TEXTS })] }),
    sample('a finding of which only the least is known', { changes: [changeOf(leastFinding())] }),
    sample('a finding with difficult texts', { changes: [changeOf(hostileFinding())] }),
    sample('a target without labels and with a difficult name', { target: { id: HOSTILE, labels: {} } }),
  ];
}

function transitionSamples(change: NotifiedChange): readonly Sample[] {
  const { transition } = change;
  return [
    sample(`a finding that is ${transition}`, { mode: 'change', changes: [change] }),
    sample(`a digest of one finding that is ${transition}`, { changes: [change] }),
  ];
}

function sample(event: string, changes: Partial<Notification>): Sample {
  return {
    event,
    notification: {
      id: 'msg_sample',
      route: 'default',
      mode: 'digest',
      scan: 'lockhound-sample',
      target: { id: 'shop/web', labels: { team: 'web', org: 'Shop' } },
      date: '2026-01-01T00:00:00.000Z',
      changes: [changeOf(usualFinding())],
      open: { critical: 1, high: 0, medium: 0, low: 0, none: 0, unrated: 0 },
      gaps: 1,
      link: 'https://ci.example/scans/1',
      ...changes,
    },
  };
}

function changeOf(finding: Finding): NotifiedChange {
  return { transition: 'opened', finding };
}

function usualFinding(): Finding {
  return {
    fingerprint: 'f'.repeat(32),
    rule: 'vulnerability',
    level: 'alert',
    severity: 'high',
    title: 'Prototype pollution',
    package: {
      ecosystem: 'npm',
      name: 'left-pad',
      version: '1.2.3',
      purl: 'pkg:npm/left-pad@1.2.3',
      direct: false,
      groups: ['dev'],
    },
    locations: [{ path: 'package-lock.json', line: 7, dependencyPath: ['a@1.0.0', 'left-pad@1.2.3'] }],
    advisory: {
      id: 'GHSA-aaaa-bbbb-cccc',
      aliases: ['CVE-2026-0001'],
      title: 'Prototype pollution',
      url: 'https://osv.dev/GHSA-aaaa-bbbb-cccc',
      score: 7.5,
    },
    advice: 'Upgrade a.',
  };
}

const EMPTY_TEXTS = {
  title: '',
  advice: '',
  advisory: { id: '', aliases: [], title: '', url: '' },
  locations: [{ path: '', dependencyPath: [] }],
} satisfies Partial<Finding>;

function leastFinding(): Finding {
  const { advisory: _advisory, advice: _advice, ...finding } = usualFinding();
  const of = { ...finding.package, version: '', direct: undefined, groups: [] };
  return { ...finding, severity: 'unrated', package: of, locations: [] };
}

function hostileFinding(): Finding {
  const finding = usualFinding();
  const advisory = { id: HOSTILE, aliases: [HOSTILE], title: HOSTILE, url: `javascript:${HOSTILE}` };
  return {
    ...finding,
    title: HOSTILE,
    advice: HOSTILE,
    package: { ...finding.package, name: HOSTILE, version: HOSTILE, groups: [HOSTILE] },
    locations: [{ path: HOSTILE, dependencyPath: [HOSTILE, HOSTILE] }],
    advisory,
  };
}
