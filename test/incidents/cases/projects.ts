import { type Incident, type Publication, placed } from '../incident.ts';

const ROUTER = 'github.com/tanstack/router';
const BABEL = 'github.com/babel/babel';
const SHELF = 'github.com/acme/shelf';

/** The packages of the TanStack incident: 42, of which the sources name one. */
const PACKAGES = [
  '@tanstack/history',
  ...Array.from({ length: 41 }, (_, index) => `@tanstack/package-${index + 2}`),
];
const MALICIOUS = {
  attested: ROUTER,
  project: ROUTER,
  optional: { 'setup-helper': 'github:tanstack/router#79ac49ee' },
};

function released(version: string): readonly Omit<Publication, 'at'>[] {
  return PACKAGES.map((name) => ({ name, version, ...MALICIOUS }));
}

/** Incidents that show in what one source project published. */
export const PROJECT_INCIDENTS: readonly Incident[] = [
  {
    title: '@tanstack/history 1.161.12 (npm, 2026): the second of two releases of 42 packages',
    system: 'NPM',
    expect: 'alert',
    before: PACKAGES.map((name) => ({
      name,
      version: '1.161.8',
      at: placed('2026-05-11'),
      attested: ROUTER,
      project: ROUTER,
    })),
    events: [
      { at: '2026-05-11T19:20:39Z', publish: released('1.161.9') },
      { at: '2026-05-11T19:26:14Z', publish: released('1.161.12') },
    ],
    lock: { name: '@tanstack/history', version: '1.161.12', at: '2026-05-11T19:26:14Z' },
    known: { at: '2026-05-11T21:00:00Z', by: 'deprecated, from about that time on' },
    note: 'The names and versions of the other packages are invented, and so is the name of the requirement. The two releases took six minutes.',
  },
];

const BABEL_PACKAGES = ['parser', 'types', 'traverse', 'generator', 'template', 'helpers'];

/** A release of all packages, a minute apart. */
function together(version: string, day: string): readonly Publication[] {
  return BABEL_PACKAGES.map((name, index) => ({
    name: `@babel/${name}`,
    version,
    at: `${day}T18:0${index}:00Z`,
    project: BABEL,
  }));
}

/** Honest releases that show in what one source project published, or in its scorecard. */
export const PROJECT_TWINS: readonly Incident[] = [
  {
    title: '@babel/types 7.29.7 (npm, 2026): a project that publishes its packages together',
    system: 'NPM',
    expect: 'none',
    before: [...together('7.28.6', '2026-01-12'), ...together('7.29.0', '2026-01-31')],
    events: [{ at: '2026-05-25T11:41:53Z', publish: together('7.29.7', '2026-05-25') }],
    lock: { name: '@babel/types', version: '7.29.7', at: '2026-05-25T11:41:53Z' },
    note: 'The days are those of the registry; the minutes of the packages are placed.',
  },
  {
    title: 'a release after the scorecard of its project fell (npm): Maintained, for want of activity',
    system: 'NPM',
    expect: 'none',
    before: [{ name: 'shelf', version: '2.0.0', at: '2025-11-01', project: SHELF }],
    events: [
      {
        at: '2026-01-10T00:00:00Z',
        project: SHELF,
        overall: 5.8,
        checks: { Maintained: 10, 'Code-Review': 6, 'Dangerous-Workflow': 10 },
      },
      {
        at: '2026-05-10T00:00:00Z',
        project: SHELF,
        overall: 4.9,
        checks: { Maintained: 1, 'Code-Review': 6, 'Dangerous-Workflow': 10 },
      },
      { at: '2026-05-20T00:00:00Z', publish: [{ name: 'shelf', version: '2.0.1', project: SHELF }] },
    ],
    lock: { name: 'shelf', version: '2.0.1', at: '2026-05-20T00:00:00Z' },
    note: 'Names, times and scores are invented: no record of a scorecard that fell is at hand. The check falls in the same way for every quiet project.',
  },
];
