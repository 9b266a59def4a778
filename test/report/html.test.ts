import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ancestorFinder } from '../../src/report/html/graph.ts';
import { renderHtml } from '../../src/report/html/html.ts';
import { compared, everything, HOSTILE } from './html-report.ts';
import { finding, locked, report } from './scan-report.ts';

const textOf = (scanned = everything()) => [...renderHtml(scanned)].join('');

describe('the HTML report', () => {
  it('has every part', () => {
    const text = textOf();
    for (const part of [
      '<h1>shop</h1>',
      'Findings by severity: 1 critical, 1 high, 1 low',
      'Prototype pollution',
      '<a href="https://osv.dev/x" rel="noreferrer noopener">GHSA-aaaa-bbbb-cccc</a>',
      'Upgrade express to 2.0.0',
      'web/package-lock.json:12',
      'Ways to qs',
      'suppressed: unused (x)',
      'pkg:npm/down@1.0.0</code> no answer',
      'suppressions[1]</code> matches no finding',
      '<td>2024-05-01</td>',
      '→ 1.0.1',
      'priority 60: CVSS 7.5',
      '<pre tabindex="0">npm update qs\nnpm update left\n</pre>',
      'left@1.0.0</code> 1 finding: all versions are affected',
      'a b</code> not known',
      '1 to 3 years',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('has what a change brings first, then what is gone and unchanged', () => {
    const text = textOf(compared());
    const parts = [
      '>1 new finding</h2>',
      'Since main... (1234567890ab): 1 new finding, 1 new note, 2 gone, 2 unchanged.',
      '1 finding of malware in the baseline',
      'main... (1234567890ab) has 2 gaps',
      '<dt>new finding</dt>',
      '>New findings</h2>',
      'data-name="left"',
      '<summary>Gone <span class="faint">2</span></summary>',
      'old@1.0.0  GHSA-aaaa-bbbb-cccc  Prototype pollution',
      '<summary>Unchanged <span class="faint">2</span></summary>',
      'data-name="qs"',
    ];
    for (const part of parts) expect(text).toContain(part);
    expect(text.indexOf('data-name="left"')).toBeLessThan(text.indexOf('<summary>Gone'));
    expect(text.lastIndexOf('data-name="qs"')).toBeGreaterThan(text.indexOf('<summary>Unchanged'));
    const { comparison } = compared();
    if (comparison === undefined) throw new RangeError('the report has no comparison');
    const none = { ...compared(), comparison: { ...comparison, introduced: [], refused: [] } };
    expect(textOf(none)).toContain('<p>No new findings.</p>');
  });

  it('allows its script and its style sheet by their hashes, and has no other', () => {
    const text = textOf(everything(HOSTILE));
    const policy = /content="(default-src [^"]+)"/.exec(text)?.[1]?.replaceAll('&#39;', "'");
    for (const element of ['script', 'style']) {
      const [found, ...others] = text.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g'));
      expect(others).toEqual([]);
      const hash = createHash('sha256')
        .update(found?.[1] ?? '')
        .digest('base64');
      expect(policy).toContain(`${element}-src 'sha256-${hash}'`);
    }
    expect(policy).toContain("default-src 'none'");
    const [document = ''] = text.split('<script>');
    expect(document.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\s(?:style|on\w+)=/);
  });

  it('makes no mark-up of text from outside', () => {
    const text = textOf(compared(HOSTILE));
    const elements = (html: string) => [...html.matchAll(/<(\w+)/g)].map(([, name]) => name);
    const known = new Set(elements(textOf(compared())));
    expect(elements(text).filter((name) => !known.has(name))).toEqual([]);
    for (const part of ['<img', 'evil.example"', '\u202e', '\u0000']) expect(text).not.toContain(part);
  });

  it('is the same for the same report', () => {
    expect(textOf()).toBe(textOf());
  });

  it('counts what a plan has besides the entries that it lists', () => {
    const { advice, ...scanned } = everything();
    const [plan] = advice?.plans ?? [];
    if (plan === undefined) throw new RangeError('the report has no plan');
    const many = <Entry>(entry: Entry | undefined, count: number) => Array<Entry>(count).fill(entry as Entry);
    const breaking = { ...plan.breaking, steps: many(plan.breaking.steps[0], 202) };
    const long = { ...plan, steps: many(plan.steps[0], 201), breaking, stays: many(plan.stays[0], 203) };
    const unadvised = many(advice?.unadvised[0], 204);
    const text = [...renderHtml({ ...scanned, advice: { plans: [long], unadvised } })].join('');
    for (const rest of [1, 2, 3, 4]) expect(text).toContain(`and ${rest} more: the JSON report lists all.`);
  });

  it('is readable without findings', () => {
    const { inventory, verdict } = report([]);
    const text = textOf({ inventory, verdict: { ...verdict, gaps: [], complete: true } });
    expect(text).toContain('>No findings</h2>');
    expect(text).not.toContain('id="findings"');
  });

  it('is under 1 MB for 1,500 packages with 300 findings', () => {
    const size = 1_500;
    const idOf = (index: number) => `a-package-of-usual-name-${index}`;
    const packages = Array.from({ length: size }, (_, index) => ({
      ...locked(idOf(index), { outcome: 'resolved' }),
      direct: index < 40,
      dependencies: [3, 17, 61].flatMap((step) =>
        index + step < size ? [`${idOf(index + step)}@1.0.0`] : [],
      ),
    }));
    const findings = Array.from({ length: 300 }, (_, index) => ({
      ...finding,
      fingerprint: `f${index}`,
      package: { ...finding.package, name: idOf(index * 5), purl: `pkg:npm/${idOf(index * 5)}@1.0.0` },
      locations: [
        { path: 'web/package-lock.json', line: 1, dependencyPath: [idOf(0), `${idOf(index * 5)}@1.0.0`] },
      ],
    }));
    const scanned = report(findings);
    const [file] = scanned.inventory.lockfiles;
    if (file === undefined) throw new RangeError('the report has no lockfile');
    const text = textOf({
      ...scanned,
      inventory: { ...scanned.inventory, lockfiles: [{ ...file, packages }] },
    });
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
    expect(
      text.match(/<svg[^>]* aria-label="Packages that|<svg[^>]* aria-label="a-package/g)?.length,
    ).toBeGreaterThan(50);
  });
});

describe('all ways to a package', () => {
  const graphOf = (
    edges: Readonly<Record<string, readonly string[]>>,
    direct: readonly string[],
    id: string,
  ) => {
    const packages = Object.entries(edges).map(([name, to]) => ({
      ...locked(name, { outcome: 'resolved' }),
      direct: direct.includes(name),
      dependencies: to.map((one) => `${one}@1.0.0`),
    }));
    const lockfile = { path: 'a', sha256: '', format: 'x', packages, problems: [] };
    return ancestorFinder(lockfile)(`${id}@1.0.0`);
  };
  const namesOf = (graph: ReturnType<typeof graphOf>) =>
    graph?.nodes.map(({ id }) => id.replace('@1.0.0', ''));

  it('has each package once, and each edge', () => {
    const graph = graphOf({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, ['a'], 'd');
    expect(namesOf(graph)).toEqual(['d', 'b', 'c', 'a']);
    expect(graph?.edges).toEqual([
      [1, 0],
      [2, 0],
      [3, 1],
      [3, 2],
    ]);
  });

  it('leaves out what requires it only because of a cycle', () => {
    expect(namesOf(graphOf({ a: ['b'], b: ['c'], c: ['b'] }, ['a'], 'b'))).toEqual(['b', 'a']);
    expect(namesOf(graphOf({ a: ['c'], c: ['a'] }, ['a'], 'a'))).toEqual(['a']);
  });

  it('counts what is too much to draw', () => {
    const names = Array.from({ length: 100 }, (_, index) => `p${index}`);
    const graph = graphOf({ ...Object.fromEntries(names.map((name) => [name, ['x']])), x: [] }, names, 'x');
    expect(graph?.nodes).toHaveLength(28);
    expect(graph?.omitted).toBe(73);
  });

  it('ends quickly in a large graph', () => {
    const size = 20_000;
    const edges = Object.fromEntries(
      Array.from({ length: size }, (_, index) => [
        `p${index}`,
        [1, 2, 3].map((step) => `p${(index + step) % size}`),
      ]),
    );
    expect(graphOf(edges, ['p0'], `p${size - 1}`)?.nodes).toHaveLength(28);
  });
});
