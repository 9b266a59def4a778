import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { configSchema } from '../src/config/schema.ts';
import { openEnvelope, sealEnvelope } from '../src/jobs/envelope.ts';
import { ingestLockfiles } from '../src/jobs/ingest-lockfiles.ts';
import type { Notification } from '../src/model/alert/notification.ts';
import type { Advisory, Inventory } from '../src/model/scan/inventory.ts';
import { alertOf } from '../src/notify/alert/alert.ts';
import { renderRequest } from '../src/notify/rendering/render-request.ts';
import { valuesOf } from '../src/notify/rendering/values.ts';
import { webhookOf } from '../src/notify/webhooks/preset-webhook.ts';
import { compareFindings } from '../src/policy/changes.ts';
import { judge } from '../src/policy/judge.ts';

const SCAN = 'scan-1';
const TARGET = { id: 'shop/web', labels: { team: 'web', org: 'Shop' } };
const REQUESTED_AT = '2026-11-21T03:04:05.000Z';

const ADVISORY: Advisory = {
  id: 'GHSA-35jh-r3h4-6jhm',
  url: 'https://osv.dev/vulnerability/GHSA-35jh-r3h4-6jhm',
  title: 'Command Injection in lodash',
  aliases: ['CVE-2021-23337'],
  score: 7.2,
  vector: 'CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H',
};

const INVENTORY: Inventory = {
  lockfiles: [
    {
      path: 'package-lock.json',
      sha256: createHash('sha256').update('an example').digest('hex'),
      format: 'npm-package-lock',
      packages: [
        {
          id: 'lodash@4.17.20',
          ecosystem: 'npm',
          name: 'lodash',
          version: '4.17.20',
          purl: 'pkg:npm/lodash@4.17.20',
          direct: true,
          groups: [],
          line: 812,
          dependencies: [],
          resolution: {
            outcome: 'resolved',
            record: {
              versionKey: { system: 'NPM', name: 'lodash', version: '4.17.20' },
              isDefault: false,
              isDeprecated: false,
              licenses: ['MIT'],
              advisoryIds: [ADVISORY.id],
            },
          },
        },
      ],
      problems: [],
    },
  ],
  unread: [],
};

/** The notification about one vulnerable package, judged like a scan. */
export async function sampleNotification(): Promise<Notification> {
  const { findings } = await judge({
    target: TARGET,
    inventory: INVENTORY,
    advisories: new Map([[ADVISORY.id, ADVISORY]]),
    graphs: new Map(),
    policy: configSchema.parse({}).policy,
  });
  const compared = await compareFindings(undefined, findings, {
    scan: SCAN,
    requestedAt: REQUESTED_AT,
    partial: false,
    paths: [],
    stillOpen: () => undefined,
    noteLimit: () => Number.POSITIVE_INFINITY,
  });
  return {
    id: 'msg_0123456789abcdef0123456789abcdef',
    route: 'default',
    mode: 'digest',
    scan: SCAN,
    target: TARGET,
    date: REQUESTED_AT,
    changes: compared.changes,
    open: { critical: 0, high: 1, medium: 2, low: 0, none: 0, unrated: 3 },
    gaps: 4,
  };
}

/** The generic event of a notification, as it is sent. */
export function genericEventOf(notification: Notification): unknown {
  const webhook = webhookOf({ route: 'default', name: 'lockhound', url: 'https://alerts.example' });
  const { payload = null, encodeAs = 'json', headers = {} } = webhook;
  const definition = { ...webhook, payload, encodeAs, headers };
  return JSON.parse(renderRequest(definition, valuesOf(alertOf(notification), {})).body);
}

/** Job data that requests a scan. Throws `EnvelopeError` when a worker would reject it. */
export function sampleEnvelope(): unknown {
  const example = path.join(import.meta.dirname, '..', 'examples', 'shop', 'package-lock.json');
  const content = readFileSync(example);
  const envelope = sealEnvelope(ingestLockfiles, {
    scan: 'scan-2026-01-31-shop',
    target: { id: 'shop', labels: { team: 'checkout' } },
    requestedAt: '2026-01-31T06:00:00Z',
    lockfiles: [
      {
        path: 'package-lock.json',
        sha256: createHash('sha256').update(content).digest('hex'),
        bytes: content.byteLength,
      },
      { path: 'tools/package-lock.json', content: '{ "lockfileVersion": 3, "packages": {} }' },
    ],
  });
  openEnvelope(ingestLockfiles, envelope);
  return envelope;
}
