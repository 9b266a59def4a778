import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  ...[
    'README.md',
    'CONTRIBUTING.md',
    'ARCHITECTURE.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'examples/shop/README.md',
  ],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules') && !name.startsWith('libraries'))
    .map((name) => join('docs', name)),
];

/** Text outside of code. */
function prose(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '));
}

/** The anchors of a page, as code hosts make them from headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = readFileSync(join(ROOT, page), 'utf8')
    .replaceAll(/^```.*?^```$/gms, '')
    .matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  );
}

describe.each(PAGES)('the links of %s', (page) => {
  it('lead to files and headings that exist', () => {
    const links = [...prose(page).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, to = '']) => to);
    const broken = links
      .filter((to) => !/^[a-z]+:/.test(to))
      .filter((to) => {
        const [path = '', anchor] = to.split('#');
        const target = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
        if (target.startsWith('..') || !existsSync(join(ROOT, target))) return true;
        if (anchor === undefined || statSync(join(ROOT, target)).isDirectory()) return false;
        return !anchorsOf(target).has(anchor);
      });
    expect(broken).toEqual([]);
  });
});

it('every page of the documentation is linked from another page', () => {
  const all = PAGES.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');
  const unlinked = PAGES.filter((page) => page.startsWith('docs/')).filter((page) => {
    const name = page.slice(page.lastIndexOf('/') + 1);
    return name !== 'index.md' && !all.includes(`${name}`);
  });
  expect(unlinked).toEqual([]);
});

const FOLDERS = ['src', 'web', 'simulation', 'bench', 'scripts', 'test', 'apis', 'schemas', 'docs'];

it('every file that ARCHITECTURE.md and CONTRIBUTING.md name exists', () => {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => !path.includes('node_modules'))
      .map((path) => `/${folder}/${path}`),
  );
  const named = ['ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`([\w@./-]+\.(?:ts|json))`/g)].map(
      ([, path = '']) => path,
    ),
  );
  const missing = named.filter(
    (name) => !existsSync(join(ROOT, name)) && !paths.some((path) => path.endsWith(`/${name}`)),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});
