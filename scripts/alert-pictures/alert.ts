import type { Notification, NotifiedChange } from '../../src/model/alert/notification.ts';
import { withAge } from '../../src/model/scan/age.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import { withPriority } from '../../src/policy/priority/priority.ts';

const DATE = '2026-05-04T08:00:00.000Z';
const DAY_MS = 86_400_000;

type Facts = Pick<Finding, 'severity' | 'title' | 'package' | 'locations' | 'advisory'> & Partial<Finding>;

function change(facts: Facts, more: Partial<NotifiedChange> = {}): NotifiedChange {
  const finding: Finding = { fingerprint: 'f'.repeat(32), rule: 'vulnerability', level: 'alert', ...facts };
  const aged = withAge(finding, more.since ?? DATE, Date.parse(DATE), 7 * DAY_MS);
  return { transition: 'opened', ...more, finding: withPriority(aged) };
}

const EVIDENCE = { candidates: [], lookedAt: 1, requirements: [], graphs: [] };

const handlebars = change({
  severity: 'critical',
  title: 'Remote code execution when compiling untrusted templates in handlebars',
  package: {
    ecosystem: 'npm',
    name: 'handlebars',
    version: '4.7.6',
    purl: 'pkg:npm/handlebars@4.7.6',
    direct: true,
    groups: [],
  },
  locations: [{ path: 'package-lock.json', line: 4_210, dependencyPath: ['handlebars@4.7.6'] }],
  advisory: {
    id: 'GHSA-f2jv-r9rf-7988',
    aliases: ['CVE-2021-23369'],
    title: 'Remote code execution in handlebars when compiling templates',
    url: 'https://github.com/advisories/GHSA-f2jv-r9rf-7988',
    score: 9.8,
  },
  epss: { score: 0.11, percentile: 0.95 },
  fixes: [
    {
      kind: 'upgrade-direct',
      path: 'package-lock.json',
      version: '4.7.7',
      changes: [{ name: 'handlebars', from: '4.7.6', to: '4.7.7', how: 'upgrade' }],
      commands: ['npm install handlebars@4.7.7'],
      evidence: EVIDENCE,
    },
  ],
});

const bodyParser = change({
  severity: 'high',
  title: 'body-parser is vulnerable to denial of service when URL encoding is enabled',
  package: {
    ecosystem: 'npm',
    name: 'body-parser',
    version: '1.19.0',
    purl: 'pkg:npm/body-parser@1.19.0',
    direct: false,
    groups: [],
  },
  locations: [
    { path: 'package-lock.json', line: 812, dependencyPath: ['express@4.17.1', 'body-parser@1.19.0'] },
  ],
  advisory: {
    id: 'GHSA-qwcr-r2fm-qrc7',
    aliases: ['CVE-2024-45590'],
    title: 'body-parser vulnerable to denial of service',
    url: 'https://github.com/advisories/GHSA-qwcr-r2fm-qrc7',
    score: 7.5,
  },
  fixes: [
    {
      kind: 'upgrade-direct',
      path: 'package-lock.json',
      version: '1.20.3',
      changes: [{ name: 'express', from: '4.17.1', to: '4.21.0', how: 'upgrade' }],
      commands: ['npm install express@4.21.0'],
      evidence: EVIDENCE,
    },
  ],
});

const moment = change(
  {
    severity: 'high',
    title: 'Path traversal: dir/../../filename in moment.locale',
    package: {
      ecosystem: 'npm',
      name: 'moment',
      version: '2.29.1',
      purl: 'pkg:npm/moment@2.29.1',
      direct: true,
      groups: [],
    },
    locations: [{ path: 'package-lock.json', line: 5_377, dependencyPath: ['moment@2.29.1'] }],
    advisory: {
      id: 'GHSA-8hfj-j24r-96c4',
      aliases: ['CVE-2022-24785'],
      title: 'Path traversal in moment.locale',
      url: 'https://github.com/advisories/GHSA-8hfj-j24r-96c4',
      score: 7.5,
    },
    kev: { listed: true, added: '2026-05-03' },
    fixes: [
      {
        kind: 'in-range',
        path: 'package-lock.json',
        version: '2.29.4',
        changes: [{ name: 'moment', from: '2.29.1', to: '2.29.4', how: 're-lock' }],
        commands: ['npm update moment'],
        evidence: EVIDENCE,
      },
    ],
  },
  { transition: 'worsened', previousSeverity: 'high', since: '2026-04-20T08:00:00.000Z' },
);

/** The alert of the pictures: a digest, or its worst change alone. */
export function pictured(mode: 'digest' | 'change'): Notification {
  return {
    id: 'msg_0123456789abcdef',
    route: 'default',
    mode,
    scan: 'nightly-1042',
    target: { id: 'org/shop', labels: { team: 'web' } },
    date: DATE,
    changes: mode === 'change' ? [handlebars] : [handlebars, moment, bodyParser],
    open: { critical: 1, high: 4, medium: 2, low: 0, none: 0, unrated: 0 },
    gaps: 0,
    link: 'https://ci.example/lockhound/org/shop',
  };
}
