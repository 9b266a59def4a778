import { type Incident, placed } from '../incident.ts';

/** Incidents of new packages with familiar names, and of Go modules. */
export const NAMES: readonly Incident[] = [
  {
    title: 'torchtriton (PyPI, 2022)',
    system: 'PYPI',
    expect: 'none',
    before: [],
    events: [{ at: '2022-12-25T00:00:00Z', publish: [{ name: 'torchtriton', version: '3.0.0' }] }],
    lock: { name: 'torchtriton', version: '3.0.0', at: '2022-12-26T00:00:00Z', isNew: true },
    known: { at: '2022-12-31T00:00:00Z', by: 'disclosed' },
    note: 'The name of a private index has no similar name in the public one; only its youth shows. List private names in `insights.privatePackages`. The version is invented.',
  },
  {
    title: 'rustdecimal (crates.io, 2022)',
    system: 'CARGO',
    expect: 'alert',
    before: [{ name: 'rust_decimal', version: '1.22.0', at: placed('2022-03-25') }],
    similar: { rustdecimal: ['rust_decimal'] },
    dependents: { rust_decimal: 120 },
    events: [{ at: '2022-03-25T00:00:00Z', publish: [{ name: 'rustdecimal', version: '1.22.0' }] }],
    lock: { name: 'rustdecimal', version: '1.22.0', at: '2022-03-26T00:00:00Z', isNew: true },
    known: { at: '2022-05-02T00:00:00Z', by: 'RUSTSEC-2022-0042' },
    note: 'Only the days are known, and the version is invented. 120 invented packages stand for those that require rust_decimal.',
  },
  {
    title: 'github.com/boltdb-go/bolt (Go, 2021)',
    system: 'GO',
    expect: 'alert',
    before: [{ name: 'github.com/boltdb/bolt', version: 'v1.3.1', at: placed('2021-11-01', 1_400) }],
    similar: { 'github.com/boltdb-go/bolt': ['github.com/boltdb/bolt'] },
    events: [
      { at: '2021-11-01T00:00:00Z', publish: [{ name: 'github.com/boltdb-go/bolt', version: 'v1.3.1' }] },
    ],
    lock: { name: 'github.com/boltdb-go/bolt', version: 'v1.3.1', at: '2021-11-15T00:00:00Z', isNew: true },
    known: { at: '2025-01-30T00:00:00Z', by: 'disclosed' },
    note: 'Only the month is known. A target that adds the module after 90 days gets a note.',
  },
  {
    title: 'github.com/shopsprint/decimal v1.3.3 (Go, 2023)',
    system: 'GO',
    expect: 'alert',
    before: [
      {
        name: 'github.com/shopsprint/decimal',
        version: 'v1.3.1',
        at: placed('2023-08-19', 500),
        capabilities: [],
      },
    ],
    events: [
      {
        at: '2023-08-19T00:00:00Z',
        publish: [{ name: 'github.com/shopsprint/decimal', version: 'v1.3.2', capabilities: [] }],
      },
      {
        at: '2023-08-19T00:07:00Z',
        publish: [
          {
            name: 'github.com/shopsprint/decimal',
            version: 'v1.3.3',
            capabilities: ['CAPABILITY_NETWORK', 'CAPABILITY_EXEC'],
          },
        ],
      },
    ],
    lock: { name: 'github.com/shopsprint/decimal', version: 'v1.3.3', at: '2023-08-19T00:07:00Z' },
    known: { at: '2026-05-01T00:00:00Z', by: 'disclosed' },
    note: 'By secondary sources; the day is known, and that seven minutes lay between the versions.',
  },
  {
    title: 'org.fasterxml.jackson.core:jackson-databind (Maven, 2025)',
    system: 'MAVEN',
    expect: 'alert',
    before: [
      {
        name: 'com.fasterxml.jackson.core:jackson-databind',
        version: '2.20.0',
        at: placed('2025-12-01', 90),
      },
    ],
    similar: {
      'org.fasterxml.jackson.core:jackson-databind': ['com.fasterxml.jackson.core:jackson-databind'],
    },
    dependents: { 'com.fasterxml.jackson.core:jackson-databind': 120 },
    events: [
      {
        at: '2025-12-01T00:00:00Z',
        publish: [{ name: 'org.fasterxml.jackson.core:jackson-databind', version: '2.20.0' }],
      },
    ],
    lock: {
      name: 'org.fasterxml.jackson.core:jackson-databind',
      version: '2.20.0',
      at: '2025-12-02T00:00:00Z',
      isNew: true,
    },
    note: 'By a secondary source, at the end of 2025; day and versions are assumed. Tracer.Fody.NLog (NuGet) is left out, because the sources at hand do not name what it imitates.',
  },
  {
    title: 'fezbox (npm, 2025)',
    system: 'NPM',
    expect: 'none',
    before: [],
    events: [{ at: '2025-09-20T00:00:00Z', publish: [{ name: 'fezbox', version: '1.0.0' }] }],
    lock: { name: 'fezbox', version: '1.0.0', at: '2025-09-20T12:00:00Z', isNew: true },
    known: { at: '2025-09-22T23:26:51Z', by: 'MAL-2025-47483' },
    note: 'Out of reach: a new package with a name of its own. Day and version are assumed.',
  },
];
