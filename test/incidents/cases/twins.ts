import { type Incident, placed } from '../incident.ts';

const AXIOS = 'github.com/axios/axios';

/** Honest releases that look like incidents. */
export const TWINS: readonly Incident[] = [
  {
    title: 'axios 1.13.3 (npm, 2026): a broken pipeline lost the provenance',
    system: 'NPM',
    expect: 'none',
    before: ['1.13.0', '1.13.1', '1.13.2'].map((version, index) => ({
      name: 'axios',
      version,
      at: placed('2026-01-22', 90 - 30 * index),
      attested: AXIOS,
    })),
    events: [
      { at: '2026-01-26T00:00:00Z', publish: [{ name: 'axios', version: '1.13.3' }] },
      { at: '2026-01-27T00:00:00Z', publish: [{ name: 'axios', version: '1.13.4', attested: AXIOS }] },
    ],
    lock: { name: 'axios', version: '1.13.3', at: '2026-01-26T00:00:00Z' },
    note: 'That it changed no requirement is not verified, and assumed.',
  },
  {
    title: 'semver 6.3.1 (npm, 2023): an old line that never had a provenance',
    system: 'NPM',
    expect: 'none',
    before: [
      { name: 'semver', version: '6.3.0', at: placed('2023-07-10', 1_400) },
      { name: 'semver', version: '7.5.3', at: placed('2023-07-10'), attested: 'github.com/npm/node-semver' },
    ],
    events: [{ at: '2023-07-10T00:00:00Z', publish: [{ name: 'semver', version: '6.3.1' }] }],
    lock: { name: 'semver', version: '6.3.1', at: '2023-07-10T00:30:00Z' },
    note: 'A backport between attested versions of line 7; the dates are placed.',
  },
  {
    title: 'eslint-config-prettier 8.10.2 (npm, 2025): the cure',
    system: 'NPM',
    expect: 'none',
    before: [
      ...['8.10.0', '9.1.0', '10.1.5'].map((version, index) => ({
        name: 'eslint-config-prettier',
        version,
        at: placed('2025-07-18', 90 - 30 * index),
      })),
      ...['8.10.1', '9.1.1', '10.1.7'].map((version) => ({
        name: 'eslint-config-prettier',
        version,
        at: '2025-07-18',
      })),
    ],
    events: [
      {
        at: '2025-07-18T12:00:00Z',
        advisory: 'GHSA-f29h-pxvx-f335',
        affects: { 'eslint-config-prettier': '8.10.1 || 9.1.1 || 10.1.7' },
      },
      {
        at: '2025-07-18T13:00:00Z',
        publish: ['8.10.2', '9.1.2', '10.1.8'].map((version) => ({
          name: 'eslint-config-prettier',
          version,
        })),
      },
    ],
    lock: { name: 'eslint-config-prettier', version: '8.10.2', at: '2025-07-18T13:00:00Z' },
    note: 'The minutes are not known; the advisory names it as the fixed version.',
  },
  {
    title: '@webext-core/isolated-element 1.1.5 (npm): a rollback by hand',
    system: 'NPM',
    expect: 'none',
    before: ['1.1.2', '1.1.3', '1.1.4'].map((version, index) => ({
      name: '@webext-core/isolated-element',
      version,
      at: placed('2026-01-01', 90 - 30 * index),
      attested: 'github.com/aklinker1/webext-core',
    })),
    events: [
      { at: '2026-01-01T00:00:00Z', publish: [{ name: '@webext-core/isolated-element', version: '1.1.5' }] },
    ],
    lock: { name: '@webext-core/isolated-element', version: '1.1.5', at: '2026-01-01T00:30:00Z' },
    note: 'The date is assumed.',
  },
  {
    title: 'mimemagic 0.3.6 (RubyGems, 2021): older versions were yanked for their licence',
    system: 'RUBYGEMS',
    expect: 'none',
    before: ['0.3.3', '0.3.4', '0.3.5'].map((version, index) => ({
      name: 'mimemagic',
      version,
      at: placed('2021-03-24', 300 - 90 * index),
    })),
    events: [
      { at: '2021-03-24T00:00:00Z', deprecate: ['0.3.3', '0.3.4', '0.3.5'], of: 'mimemagic' },
      { at: '2021-03-24T01:00:00Z', publish: [{ name: 'mimemagic', version: '0.3.6' }] },
    ],
    lock: { name: 'mimemagic', version: '0.3.6', at: '2021-03-24T01:30:00Z' },
    note: 'Only the day is known. Yanked versions are served as deprecated.',
  },
  {
    title: 'github.com/golang-jwt/jwt v3.2.1 (Go, 2021): a new home',
    system: 'GO',
    expect: 'none',
    before: [{ name: 'github.com/dgrijalva/jwt-go', version: 'v3.2.0', at: placed('2021-05-28', 1_000) }],
    similar: { 'github.com/golang-jwt/jwt': ['github.com/dgrijalva/jwt-go'] },
    events: [
      { at: '2021-05-28T00:00:00Z', publish: [{ name: 'github.com/golang-jwt/jwt', version: 'v3.2.1' }] },
    ],
    lock: { name: 'github.com/golang-jwt/jwt', version: 'v3.2.1', at: '2021-05-29T00:00:00Z', isNew: true },
    note: 'The day is assumed; it was between May and July.',
  },
  {
    title: 'react-server-dom-webpack 19.0.1 (npm, 2025): one fix for three lines',
    system: 'NPM',
    expect: 'none',
    before: ['19.0.0', '19.1.1', '19.2.0'].map((version, index) => ({
      name: 'react-server-dom-webpack',
      version,
      at: placed('2025-12-03', 300 - 90 * index),
    })),
    events: [
      {
        at: '2025-12-03T00:00:00Z',
        publish: ['19.0.1', '19.1.2', '19.2.1'].map((version) => ({
          name: 'react-server-dom-webpack',
          version,
        })),
      },
      {
        at: '2025-12-03T01:00:00Z',
        advisory: 'GHSA-fv66-9v8q-g76r',
        affects: { 'react-server-dom-webpack': '19.0.0 || 19.1.1 || 19.2.0' },
      },
    ],
    lock: { name: 'react-server-dom-webpack', version: '19.0.1', at: '2025-12-03T00:00:00Z' },
    note: 'Only the day is known. No alert before the advisory either, because the three are of one major line.',
  },
  {
    title: 'ua-parser-js 0.7.30 (npm, 2021): the clean-up of all lines',
    system: 'NPM',
    expect: 'none',
    before: [
      { name: 'ua-parser-js', version: '0.7.28', at: placed('2021-10-22') },
      ...['0.7.29', '0.8.0', '1.0.0'].map((version) => ({
        name: 'ua-parser-js',
        version,
        at: '2021-10-22T12:15:00Z',
      })),
    ],
    events: [
      {
        at: '2021-10-22T16:00:00Z',
        advisory: 'GHSA-pjwm-rvh2-c87w',
        affects: { 'ua-parser-js': '0.7.29 || 0.8.0 || 1.0.0' },
      },
      {
        at: '2021-10-22T16:16:00Z',
        publish: ['0.7.30', '0.8.1', '1.0.1'].map((version) => ({ name: 'ua-parser-js', version })),
      },
    ],
    lock: { name: 'ua-parser-js', version: '0.7.30', at: '2021-10-22T16:16:00Z' },
    note: 'The minute of the advisory is assumed: the clean versions followed it.',
  },
];
