import { type Incident, placed } from '../incident.ts';

/** Incidents that show in the times of versions. */
export const BURSTS: readonly Incident[] = [
  {
    title: 'ua-parser-js 0.7.29 (npm, 2021)',
    system: 'NPM',
    expect: 'alert',
    before: [{ name: 'ua-parser-js', version: '0.7.28', at: placed('2021-10-22') }],
    events: [
      {
        at: '2021-10-22T12:15:00Z',
        publish: [
          { name: 'ua-parser-js', version: '0.7.29' },
          { name: 'ua-parser-js', version: '0.8.0' },
          { name: 'ua-parser-js', version: '1.0.0' },
        ],
      },
      { at: '2021-10-22T16:16:00Z', remove: ['0.7.29', '0.8.0', '1.0.0'], of: 'ua-parser-js' },
    ],
    lock: { name: 'ua-parser-js', version: '0.7.29', at: '2021-10-22T12:15:00Z' },
    known: { at: '2021-10-22T16:16:00Z', by: 'removed' },
    note: 'About 12:15, by a secondary source; the three minutes are not known apart.',
  },
  {
    title: 'coa 2.0.3 (npm, 2021)',
    system: 'NPM',
    expect: 'alert',
    before: [{ name: 'coa', version: '2.0.2', at: '2018-12-31' }],
    events: [
      { at: '2021-11-04T13:12:00Z', publish: [{ name: 'coa', version: '2.0.3' }] },
      { at: '2021-11-04T14:24:00Z', publish: [{ name: 'coa', version: '3.1.3' }] },
    ],
    lock: { name: 'coa', version: '2.0.3', at: '2021-11-04T13:12:00Z' },
    note: 'Only the first and the last of the minutes are known, so 2.0.4, 2.1.1, 2.1.3 and 3.0.1 are left out; the alert is later than it could be. 2.0.2 is of 2018.',
  },
  {
    title: 'rc 1.2.9 (npm, 2021)',
    system: 'NPM',
    expect: 'alert',
    before: [{ name: 'rc', version: '1.2.8', at: '2018-11-04' }],
    events: [
      { at: '2021-11-04T15:30:19.438Z', publish: [{ name: 'rc', version: '1.2.9' }] },
      { at: '2021-11-04T15:30:34.911Z', publish: [{ name: 'rc', version: '1.3.9' }] },
      { at: '2021-11-04T15:30:47.021Z', publish: [{ name: 'rc', version: '2.3.9' }] },
      { at: '2021-11-04T23:10:00Z', remove: ['1.2.9', '1.3.9', '2.3.9'], of: 'rc' },
    ],
    lock: { name: 'rc', version: '1.2.9', at: '2021-11-04T15:30:19.438Z' },
    known: { at: '2021-11-04T23:10:00Z', by: 'removed' },
    note: '1.2.8 was about three years old.',
  },
  {
    title: 'ctx 0.1.4 (PyPI, 2022)',
    system: 'PYPI',
    expect: 'alert',
    before: [{ name: 'ctx', version: '0.1.2', at: '2014-12-19T07:31:04Z' }],
    events: [
      { at: '2022-05-14T19:18:36.994Z', publish: [{ name: 'ctx', version: '0.1.4' }] },
      { at: '2022-05-14T23:52:46Z', publish: [{ name: 'ctx', version: '0.2' }] },
      { at: '2022-05-15T00:17:20Z', publish: [{ name: 'ctx', version: '0.2.1' }] },
      { at: '2022-05-15T00:44:53Z', publish: [{ name: 'ctx', version: '0.2.2' }] },
      { at: '2022-05-24T10:07:17Z', remove: ['0.1.4', '0.2', '0.2.1', '0.2.2'], of: 'ctx' },
    ],
    lock: { name: 'ctx', version: '0.1.4', at: '2022-05-14T19:18:36.994Z' },
    known: { at: '2022-05-25T00:00:00Z', by: 'GHSA-4g82-3jcr-q52w' },
  },
  {
    title: 'eslint-config-prettier 8.10.1 (npm, 2025)',
    system: 'NPM',
    expect: 'alert',
    before: ['8.10.0', '9.1.0', '10.1.5'].map((version, index) => ({
      name: 'eslint-config-prettier',
      version,
      at: placed('2025-07-18', 90 - 30 * index),
    })),
    events: [
      { at: '2025-07-18T00:00:00Z', publish: [{ name: 'eslint-config-prettier', version: '8.10.1' }] },
      { at: '2025-07-18T00:20:00Z', publish: [{ name: 'eslint-config-prettier', version: '9.1.1' }] },
      { at: '2025-07-18T00:40:00Z', publish: [{ name: 'eslint-config-prettier', version: '10.1.6' }] },
      { at: '2025-07-18T01:00:00Z', publish: [{ name: 'eslint-config-prettier', version: '10.1.7' }] },
    ],
    lock: { name: 'eslint-config-prettier', version: '8.10.1', at: '2025-07-18T00:00:00Z' },
    note: 'Three lines at once on that day; the minutes are not known and spread over an hour. Whether 10.1.6 lost a provenance is not verified and left out.',
  },
  {
    title: 'nx 21.5.0 (npm, 2025)',
    system: 'NPM',
    expect: 'alert',
    before: [
      { name: 'nx', version: '20.8.2', at: placed('2025-08-26', 60) },
      { name: 'nx', version: '21.4.1', at: placed('2025-08-26') },
    ],
    events: [
      { at: '2025-08-26T22:32:00Z', publish: [{ name: 'nx', version: '21.5.0' }] },
      { at: '2025-08-26T22:39:00Z', publish: [{ name: 'nx', version: '20.9.0' }] },
      {
        at: '2025-08-26T23:54:00Z',
        publish: [
          { name: 'nx', version: '20.10.0' },
          { name: 'nx', version: '21.6.0' },
        ],
      },
      { at: '2025-08-27T02:44:00Z', remove: ['21.5.0', '20.9.0', '20.10.0', '21.6.0'], of: 'nx' },
    ],
    lock: { name: 'nx', version: '21.5.0', at: '2025-08-26T22:32:00Z' },
    known: { at: '2025-08-27T05:53:00Z', by: 'GHSA-cxm3-wv7p-598c' },
    note: 'That the versions before had a provenance is not verified, and left out.',
  },
  {
    title: 'posthog-node 4.18.1 (npm, 2025)',
    system: 'NPM',
    expect: 'none',
    before: [
      { name: 'posthog-node', version: '4.18.0', at: placed('2025-11-24', 60) },
      { name: 'posthog-node', version: '5.11.2', at: placed('2025-11-24', 40) },
      { name: 'posthog-node', version: '5.13.2', at: placed('2025-11-24') },
    ],
    events: [
      { at: '2025-11-24T00:00:00Z', publish: [{ name: 'posthog-node', version: '4.18.1' }] },
      { at: '2025-11-24T00:30:00Z', publish: [{ name: 'posthog-node', version: '5.11.3' }] },
      { at: '2025-11-24T01:00:00Z', publish: [{ name: 'posthog-node', version: '5.13.3' }] },
    ],
    lock: { name: 'posthog-node', version: '4.18.1', at: '2025-11-24T00:00:00Z' },
    known: { at: '2025-11-24T16:31:47Z', by: 'MAL-2025-190925' },
    note: 'Old and new lines at once; the minutes are not known and spread over an hour. Fleets see a note: two lines at once are also how a fix is published.',
  },
  {
    title: '@ctrl/tinycolor 4.1.1 (npm, 2025)',
    system: 'NPM',
    expect: 'none',
    before: [{ name: '@ctrl/tinycolor', version: '4.1.0', at: placed('2025-09-15') }],
    events: [
      { at: '2025-09-15T00:00:00Z', publish: [{ name: '@ctrl/tinycolor', version: '4.1.1' }] },
      { at: '2025-09-15T01:00:00Z', publish: [{ name: '@ctrl/tinycolor', version: '4.1.2' }] },
    ],
    lock: { name: '@ctrl/tinycolor', version: '4.1.1', at: '2025-09-15T00:00:00Z' },
    known: { at: '2025-09-15T23:42:49Z', by: 'MAL-2025-47141' },
    note: 'Two versions of one line on a day are ordinary; the many packages of one owner are of different projects. Times of 4.1.0 and of the removal are not known.',
  },
];
