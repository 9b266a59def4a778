import { type Incident, placed } from '../incident.ts';

/** Incidents that leave few traces, or none before they end. */
export const OTHERS: readonly Incident[] = [
  {
    title: '@solana/web3.js 1.95.6 (npm, 2024)',
    system: 'NPM',
    expect: 'alert',
    before: [{ name: '@solana/web3.js', version: '1.95.5', at: placed('2024-12-02') }],
    events: [
      { at: '2024-12-02T15:20:00Z', publish: [{ name: '@solana/web3.js', version: '1.95.6' }] },
      { at: '2024-12-02T20:25:00Z', remove: ['1.95.6'], of: '@solana/web3.js' },
    ],
    lock: { name: '@solana/web3.js', version: '1.95.6', at: '2024-12-02T15:20:00Z' },
    known: { at: '2024-12-03T22:45:37Z', by: 'MAL-2024-11183' },
    note: 'The only trace is its removal (rule `vanished`), by a secondary source. Earlier provenance is not verified.',
  },
  {
    title: '@rspack/core 1.1.7 (npm, 2024)',
    system: 'NPM',
    expect: 'alert',
    before: [{ name: '@rspack/core', version: '1.1.6', at: placed('2024-12-19') }],
    events: [
      { at: '2024-12-19T00:00:00Z', publish: [{ name: '@rspack/core', version: '1.1.7' }] },
      { at: '2024-12-19T12:00:00Z', deprecate: ['1.1.7'], of: '@rspack/core', default: '1.1.6' },
    ],
    lock: { name: '@rspack/core', version: '1.1.7', at: '2024-12-19T00:00:00Z' },
    note: 'The minutes are open: deprecated on the same day, and 1.1.6 the default again. Earlier provenance is not verified.',
  },
  {
    title: 'litellm 1.82.8 (PyPI, 2026)',
    system: 'PYPI',
    expect: 'none',
    before: [{ name: 'litellm', version: '1.82.6', at: placed('2026-03-24') }],
    events: [
      { at: '2026-03-24T10:52:00Z', publish: [{ name: 'litellm', version: '1.82.8' }] },
      { at: '2026-03-24T11:15:14Z', advisory: 'MAL-2026-2144', affects: { litellm: '1.82.8' } },
    ],
    lock: { name: 'litellm', version: '1.82.8', at: '2026-03-24T10:52:00Z' },
    known: { at: '2026-03-24T11:15:14Z', by: 'MAL-2026-2144' },
    note: 'No provenance was ever used, and nothing else changed; the advisory came 23 minutes later.',
  },
  {
    title: 'colors 1.4.1 (npm, 2022)',
    system: 'NPM',
    expect: 'none',
    before: [{ name: 'colors', version: '1.4.0', at: placed('2022-01-07') }],
    events: [{ at: '2022-01-07T00:00:00Z', publish: [{ name: 'colors', version: '1.4.1' }] }],
    lock: { name: 'colors', version: '1.4.1', at: '2022-01-07T00:30:00Z' },
    known: { at: '2022-01-21T23:39:50Z', by: 'GHSA-gh88-3pxp-6fm8' },
    note: 'Out of reach: the owner changed the code. Only the days are known.',
  },
  {
    title: 'chalk 5.6.1 (npm, 2025)',
    system: 'NPM',
    expect: 'none',
    before: [{ name: 'chalk', version: '5.6.0', at: placed('2025-09-08') }],
    events: [{ at: '2025-09-08T13:16:00Z', publish: [{ name: 'chalk', version: '5.6.1' }] }],
    lock: { name: 'chalk', version: '5.6.1', at: '2025-09-08T13:16:00Z' },
    known: { at: '2025-09-08T17:11:19Z', by: 'MAL-2025-46969' },
    note: 'Out of reach: code alone. Its removal in under three hours would show as `vanished`; the minute is not known.',
  },
];
