import { type Incident, placed } from '../incident.ts';

const AXIOS = 'github.com/axios/axios';

/** Incidents whose versions required something that nobody had required before. */
export const REQUIREMENTS: readonly Incident[] = [
  {
    title: 'event-stream 3.3.6 (npm, 2018)',
    system: 'NPM',
    expect: 'alert',
    before: [
      { name: 'event-stream', version: '3.3.4', at: placed('2018-09-09') },
      { name: 'flatmap-stream', version: '0.1.0', at: '2018-09-08T12:00:00Z' },
    ],
    events: [
      {
        at: '2018-09-09T00:00:00Z',
        publish: [{ name: 'event-stream', version: '3.3.6', requires: { 'flatmap-stream': '^0.1.0' } }],
      },
    ],
    lock: { name: 'event-stream', version: '3.3.6', at: '2018-09-09T00:30:00Z' },
    known: { at: '2018-11-26T23:58:21Z', by: 'GHSA-mh6f-8j2x-4483' },
    note: 'Only the day is known; that flatmap-stream was younger than a day is taken from the sources, its minute is assumed.',
  },
  {
    title: 'node-ipc 11.0.0 (npm, 2022)',
    system: 'NPM',
    expect: 'alert',
    before: [
      { name: 'node-ipc', version: '9.2.1', at: placed('2022-03-07', 60) },
      { name: 'node-ipc', version: '10.1.0', at: placed('2022-03-07') },
      { name: 'node-ipc', version: '10.1.1', at: '2022-03-07' },
      { name: 'node-ipc', version: '10.1.2', at: '2022-03-08' },
      { name: 'peacenotwar', version: '1.0.0', at: '2022-03-08T12:00:00Z' },
    ],
    events: [
      {
        at: '2022-03-09T00:00:00Z',
        publish: [{ name: 'node-ipc', version: '11.0.0', requires: { peacenotwar: '*' } }],
      },
    ],
    lock: { name: 'node-ipc', version: '11.0.0', at: '2022-03-09T00:30:00Z' },
    note: 'Times are open; that peacenotwar was younger than a day is taken from the sources. 10.1.1 and 10.1.2 before it left no trace.',
  },
  {
    title: 'axios 1.14.1 (npm, 2026)',
    system: 'NPM',
    expect: 'alert',
    before: [
      { name: 'axios', version: '0.30.3', at: placed('2026-03-28', 60) },
      { name: 'axios', version: '1.13.4', at: '2026-01-27', attested: AXIOS },
      { name: 'axios', version: '1.14.0', at: '2026-03-28T09:55:00Z', attested: AXIOS },
      { name: 'plain-crypto-js', version: '4.2.0', at: '2026-03-30T06:00:00Z' },
      { name: 'plain-crypto-js', version: '4.2.1', at: '2026-03-30T23:00:00Z' },
    ],
    events: [
      {
        at: '2026-03-31T00:21:58Z',
        publish: [{ name: 'axios', version: '1.14.1', requires: { 'plain-crypto-js': '^4.2.1' } }],
      },
      {
        at: '2026-03-31T01:00:58Z',
        publish: [{ name: 'axios', version: '0.30.4', requires: { 'plain-crypto-js': '^4.2.1' } }],
      },
      { at: '2026-03-31T03:15:00Z', remove: ['1.14.1', '0.30.4'], of: 'axios' },
    ],
    lock: { name: 'axios', version: '1.14.1', at: '2026-03-31T00:21:58Z' },
    known: { at: '2026-03-31T03:15:49Z', by: 'MAL-2026-2307' },
    note: 'The minutes of plain-crypto-js are not known; 4.2.0 came on the day before, and 4.2.1 hours later.',
  },
  {
    title: 'axios 0.30.4 (npm, 2026): a line that never had a provenance',
    system: 'NPM',
    expect: 'alert',
    before: [
      { name: 'axios', version: '0.30.3', at: placed('2026-03-28', 60) },
      { name: 'axios', version: '1.14.0', at: '2026-03-28T09:55:00Z', attested: AXIOS },
      { name: 'plain-crypto-js', version: '4.2.0', at: '2026-03-30T06:00:00Z' },
      {
        name: 'axios',
        version: '1.14.1',
        at: '2026-03-31T00:21:58Z',
        requires: { 'plain-crypto-js': '^4.2.1' },
      },
    ],
    events: [
      {
        at: '2026-03-31T01:00:58Z',
        publish: [{ name: 'axios', version: '0.30.4', requires: { 'plain-crypto-js': '^4.2.1' } }],
      },
    ],
    lock: { name: 'axios', version: '0.30.4', at: '2026-03-31T01:00:58Z' },
    known: { at: '2026-03-31T03:15:49Z', by: 'MAL-2026-2307' },
    note: 'Published about 39 minutes after 1.14.1.',
  },
  {
    title: '@tanstack/history 1.161.9 (npm, 2026): a valid provenance',
    system: 'NPM',
    expect: 'alert',
    before: [
      {
        name: '@tanstack/history',
        version: '1.161.8',
        at: placed('2026-05-11'),
        attested: 'github.com/tanstack/router',
      },
    ],
    events: [
      {
        at: '2026-05-11T19:20:39Z',
        publish: [
          {
            name: '@tanstack/history',
            version: '1.161.9',
            attested: 'github.com/tanstack/router',
            optional: { 'setup-helper': 'github:tanstack/router#79ac49ee' },
          },
        ],
      },
      { at: '2026-05-11T21:00:00Z', deprecate: ['1.161.9'], of: '@tanstack/history' },
    ],
    lock: { name: '@tanstack/history', version: '1.161.9', at: '2026-05-11T19:20:39Z' },
    known: { at: '2026-05-11T21:00:00Z', by: 'deprecated, from about that time on' },
    note: 'The name of the optional requirement and its commit are invented; that it is a git commit is not.',
  },
  {
    title: 'arrayref 0.3.10 (crates.io, 2026)',
    system: 'CARGO',
    expect: 'alert',
    before: [
      ...['0.3.4', '0.3.5', '0.3.6', '0.3.7', '0.3.8'].map((version, index) => ({
        name: 'arrayref',
        version,
        at: placed('2024-09-14T12:24:40Z', 500 - 90 * index),
      })),
      { name: 'arrayref', version: '0.3.9', at: '2024-09-14T12:24:40Z' },
      { name: 'proc-macro1', version: '1.0.106', at: '2026-08-20T02:15:00Z' },
      { name: 'proc-macro1', version: '1.0.107', at: '2026-08-20T07:11:00Z' },
    ],
    events: [
      {
        at: '2026-08-20T07:15:00Z',
        publish: [{ name: 'arrayref', version: '0.3.10', requires: { 'proc-macro1': '^1.0.107' } }],
      },
      {
        at: '2026-08-20T07:16:00Z',
        deprecate: ['0.3.5', '0.3.6', '0.3.7', '0.3.8', '0.3.9'],
        of: 'arrayref',
      },
      { at: '2026-08-20T08:41:40Z', remove: ['0.3.10'], of: 'arrayref' },
    ],
    lock: { name: 'arrayref', version: '0.3.10', at: '2026-08-20T07:15:00Z' },
    known: { at: '2026-08-20T08:41:40Z', by: 'removed; RUSTSEC-2026-0260 followed' },
    note: 'The minute of the yanks and the dates of 0.3.4 to 0.3.8 are not known. Yanked versions are served as deprecated.',
  },
];
