import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Exception } from '../../../src/model/scan/exception.ts';
import { SESSION_COOKIE } from '../../../src/server/api/auth/session-cookie.ts';
import { VIEW_PATHS } from '../../../src/server/page/mount-page.ts';
import { createDeliveryStore } from '../../../src/store/alerts/deliveries.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import { createDayCounts } from '../../../src/store/fleet/fleet-counts.ts';
import { notificationOf } from '../../notify/notification.ts';
import { BUILT } from '../../prepare.ts';
import { HOSTILE } from '../../report/html-report.ts';
import { npmFile, tracked } from '../../store/fleet/fleet-room.ts';
import { until } from '../../until.ts';
import { newTokens } from './new-token.ts';
import { openServeRoom } from './serve-room.ts';

/** Debian's package `chromium`, or the program that the variable names. */
const CHROMIUM = process.env['LOCKHOUND_CHROMIUM'] ?? '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TITLE = 'Something is wrong with left';
const LEFT = 'pkg:npm/left@1.0.0';
const INVENTORY = '/inventory?target=org%2Fshop';
const finding = `/finding?target=org%2Fshop&id=${encodeURIComponent('org/shop/left@1.0.0/critical')}`;
const GRAPH = '/graph?target=org%2Fshop&lockfile=package-lock.json';

const EXCEPTIONS = '/exceptions?target=org%2Fshop';

const folder = join(BUILT, 'dist/page');
let room: Awaited<ReturnType<typeof openServeRoom>>;
let api: Awaited<ReturnType<typeof room.serve>>;
const tokens: Record<'admin' | 'reader', string> = { admin: '', reader: '' };

beforeAll(async () => {
  room = await openServeRoom({ page: pathToFileURL(`${folder}/`) });
  await fill();
  const admin = newTokens(createApiTokenStore(room.redis, fleet().keys));
  tokens.admin = (await admin.create({ name: 'operator', role: 'admin' })).token;
  tokens.reader = (await admin.create({ name: 'reader', role: 'read', targets: ['org/*'] })).token;
  api = await room.serve({}, tokens.admin);
});
afterAll(async () => {
  await room?.close();
});

function fleet() {
  const [first] = room.fleets;
  if (first === undefined) throw new RangeError('the room has no fleet');
  return first;
}

const at = new Date().toISOString();
const opened = (fingerprint: string, purl: string, title: string) =>
  ({
    transition: 'opened',
    rule: 'vulnerability',
    level: 'alert',
    severity: 'high',
    fingerprint,
    purl,
    title,
  }) as const;

function override(subject: string, more: Partial<Exception>): Exception {
  const about = { path: 'package.json', setting: 'overrides', ecosystem: 'npm', package: subject };
  return { kind: 'override', subject, ...about, ...more };
}

async function fill(): Promise<void> {
  const { save, keys } = fleet();
  const left = tracked('org/shop', 'left@1.0.0', 'critical', {
    openedAt: at,
    finding: {
      advice: 'Upgrade left to 1.0.1.',
      locations: [
        { path: 'package-lock.json', line: 7, dependencyPath: ['shop@1.0.0', 'middle@2.0.0', 'left@1.0.0'] },
        { path: 'web/package-lock.json', dependencyPath: ['other@1.0.0', 'left@1.0.0'] },
      ],
    },
  });
  await save(
    'org/shop',
    [
      {
        ...npmFile('package-lock.json', ['shop@1.0.0', 'left@1.0.0'], { 'shop@1.0.0': ['left@1.0.0'] }),
        exceptions: [
          override('unused', {
            line: 7,
            proof: { verdict: 'removable', evidence: 'there is no package unused' },
          }),
          override('left', { value: '1.0.0', reason: HOSTILE, author: HOSTILE }),
        ],
      },
    ],
    {
      labels: { team: 'web' },
      findings: [
        left,
        ...Array.from({ length: 120 }, (_, index) => tracked('org/shop', `p${index}@1.0.0`, 'low')),
      ],
      log: [opened(left.finding.fingerprint, LEFT, TITLE)],
      ledger: {
        findings: [
          { transition: 'opened', rule: 'vulnerability', severity: 'high', purl: LEFT, routes: ['default'] },
        ],
      },
    },
  );
  await save('org/api', [], { findings: [tracked('org/api', 'left@1.0.0', 'high')] });
  const evil = tracked('evil', 'left@1.0.0', 'high', {
    finding: {
      title: HOSTILE,
      advice: HOSTILE,
      package: {
        ecosystem: 'npm',
        name: HOSTILE,
        version: HOSTILE,
        purl: `pkg:npm/${HOSTILE}`,
        groups: [HOSTILE],
      },
      locations: [{ path: HOSTILE, dependencyPath: [HOSTILE, `${HOSTILE}2`] }],
      advisory: { id: HOSTILE, aliases: [HOSTILE], title: HOSTILE, url: 'javascript:globalThis.hacked=3' },
    },
  });
  await save('evil', [], {
    labels: { team: HOSTILE },
    findings: [evil],
    log: [opened(evil.finding.fingerprint, HOSTILE, HOSTILE)],
  });
  const deliveries = createDeliveryStore(room.redis, keys);
  const delivery = {
    id: 'msg_1',
    key: 's.default',
    route: 'default',
    target: 'org/shop',
    scan: 'org/shop-s1',
    date: at,
  };
  await deliveries.file(delivery, notificationOf());
  await deliveries.addAttempt('msg_1', { at, durationMs: 12, status: 500, answer: HOSTILE });
  await deliveries.move(delivery, { state: 'failed', reason: 'HTTP 500' });
  const days = createDayCounts(room.redis, keys);
  for (const ago of [3, 2, 1]) {
    const day = new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    await days.write({ day, targets: 3, open: { critical: 1, high: ago } });
  }
}

describe('the files of the page', () => {
  it('are answered without a role, by every path of a view, and hold no data', async () => {
    const [first, ...others] = await Promise.all(VIEW_PATHS.map((path) => api.request(path)));
    for (const other of others) expect(other.text).toBe(first?.text);
    expect(first?.status).toBe(200);
    expect(first?.text).toMatch(/<script type="module" src="\/page\/page-\w+\.js">/);
    expect((await api.request('/api/v1/fleet')).status).toBe(401);
  });

  it('forbid foreign scripts, styles, frames and plain texts as mark-up', async () => {
    const { headers, text } = await api.request('/');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
        "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(text).not.toMatch(/ style=|<style|<script>|\son\w+=/);
  });

  it('are compressed, kept for ever by their hash, and smaller than 300 kB', async () => {
    const names = readdirSync(folder).filter((name) => !/\.(?:br|gz)$/.test(name));
    const sizes = names.map((name) => readFileSync(join(folder, `${name}.gz`)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
    const script = names.find((name) => name.endsWith('.js')) ?? '';
    expect(gunzipSync(readFileSync(join(folder, `${script}.gz`)))).toEqual(
      readFileSync(join(folder, script)),
    );
    const answer = await api.request(`/page/${script}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    const etag = answer.headers.get('etag') ?? '';
    expect((await api.request(`/page/${script}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
    for (const path of ['/page/index', '/page/..%2findex.html', '/page/%2e%2e%2fpackage.json', '/nothing']) {
      expect([path, (await api.request(path)).status]).toEqual([path, 404]);
    }
  });
});

// A browser starts slowly on a machine with other work.
describe.skipIf(!existsSync(CHROMIUM))(`the page in a browser (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  beforeAll(async () => {
    const { chromium } = await import('playwright-core');
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-software-rasterizer', '--process-per-site'],
      timeout: 60_000,
    });
  });
  afterAll(() => browser?.close());

  /** Pages by whether they ignore the policy of the server. A new one takes ten times as long as another address. */
  const pages = new Map<boolean, Promise<Page>>();
  /** What a page reported or requested from elsewhere since it was opened last. */
  let events: string[] = [];

  async function newPage(bypassCSP: boolean): Promise<Page> {
    const page = await browser.newPage({ bypassCSP });
    page.on('console', (message) => events.push(message.text()));
    page.on('pageerror', (error) => events.push(error.message));
    page.on('dialog', (dialog) => events.push(dialog.message()));
    page.on('request', (request) => request.url().startsWith(api.server.url) || events.push(request.url()));
    return page;
  }

  /** Opens an address as a person without a session, or with the one of a cookie. */
  async function open(path: string, options: BrowserContextOptions = {}, cookie?: string) {
    const { bypassCSP = false, viewport, colorScheme } = options;
    if (!pages.has(bypassCSP)) pages.set(bypassCSP, newPage(bypassCSP));
    const page = (await pages.get(bypassCSP)) as Page;
    // Nothing of the test before goes on.
    await page.goto('about:blank');
    await page.unrouteAll();
    await page.context().clearCookies();
    await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
    await page.emulateMedia({ colorScheme: colorScheme ?? null });
    events = [];
    if (cookie !== undefined) {
      await page.context().addCookies([{ name: SESSION_COOKIE, value: cookie, url: api.server.url }]);
    }
    await page.goto(api.server.url + path);
    // The answer to the first question, before signing in.
    return { page, events: () => events.filter((event) => !event.includes('401')) };
  }

  /** The same for a person who has signed in. */
  async function signedIn(token: string, path: string, options: BrowserContextOptions = {}) {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    };
    const { headers } = await api.request('/api/v1/session', init);
    return await open(path, options, headers.get('set-cookie')?.split(/[=;]/)[1]);
  }

  /** Goes to another view, as a click on a link does, so that the document stays. */
  const show = (page: Page, path: string) =>
    page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);

  const violations = async (page: Page) => {
    const result = (await page.evaluate(
      "axe.run({ resultTypes: ['violations'], preload: false, iframes: false })",
    )) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    return result.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
  };

  it('leads an operator from the overview to a suppressed finding', async () => {
    const { page, events } = await open('/');
    await page.getByLabel('Token').fill(tokens.admin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Open findings, last 90 days').waitFor();
    await page.getByRole('region', { name: 'Targets by worst finding' }).getByText('critical').click();
    await page.getByRole('cell', { name: 'org/shop' }).waitFor();
    await page.getByRole('link', { name: 'Findings' }).click();
    await page.getByText('123 findings').waitFor();
    // Rows that are not visible do not exist.
    expect(await page.locator('tr[data-index]').count()).toBeLessThan(80);
    await page.keyboard.press('/');
    await page.keyboard.type('LEFT');
    await page.getByText('2 findings', { exact: true }).waitFor();
    expect(page.url()).toMatch(/\/findings\?.*search=LEFT/);
    await page.getByRole('textbox', { name: 'Target' }).fill('org/shop');
    await page.getByText('1 finding', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Findings' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: TITLE }).waitFor();
    expect(await page.locator('svg .node').allTextContents()).toContain('middle@2.0.0middle@2.0.0');
    await page.getByText('Upgrade left to 1.0.1.').waitFor();
    const holders = page.getByRole('region', { name: 'All targets that hold it' });
    await holders.getByRole('link', { name: 'org/api' }).waitFor();
    await page.getByRole('region', { name: 'History and alerts' }).getByText('opened').first().waitFor();
    await page.getByRole('button', { name: 'Suppress' }).click();
    await page.getByLabel('Reason').fill('is not reachable');
    await page.getByLabel('Opens again').selectOption('30d');
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await page.getByText('Suppressed. Workers apply it').waitFor();
    await page.getByRole('link', { name: 'Suppressions' }).click();
    await page.getByRole('cell', { name: 'is not reachable' }).waitFor();
    const { suppressions } = (await api.request('/api/v1/suppressions', as(tokens.admin))).json;
    expect(suppressions).toHaveLength(1);
    expect(suppressions[0]).toMatchObject({
      target: 'org/shop',
      advisories: ['GHSA-left'],
      author: expect.stringContaining('operator'),
    });
    expect(events()).toEqual([]);
  });

  it('groups findings by issue: sorts, opens to targets, exports and suppresses several at once', async () => {
    const { page, events } = await signedIn(tokens.admin, '/issues?search=org/');
    const table = page.getByRole('region', { name: 'Issues', exact: true });
    const row = table.locator('tr[data-index]').filter({ hasText: TITLE });
    await page.getByText('121 issues', { exact: true }).waitFor();
    await table.getByRole('button', { name: 'Targets', exact: true }).click();
    await page.waitForURL(/orderBy=targets/);
    await table
      .getByRole('columnheader', { name: 'Targets' })
      .and(table.locator('[aria-sort=descending]'))
      .waitFor();
    await table.locator('tr[data-index="0"]').filter({ hasText: TITLE }).waitFor();
    await table.getByRole('button', { name: 'Targets', exact: true }).click();
    await table.locator('tr[data-index="0"]').filter({ hasText: 'p' }).waitFor();
    await show(page, '/issues?search=org/&orderBy=targets');
    await row.getByRole('button', { name: /targets? of/ }).click();
    const holders = table.getByRole('region', { name: `Targets of ${TITLE}` });
    await holders.getByRole('link', { name: 'org/shop' }).waitFor();
    await holders.getByRole('link', { name: 'org/api' }).waitFor();
    await table.getByRole('checkbox', { name: `Select ${TITLE}` }).check();
    await table.getByRole('checkbox', { name: 'Select Something is wrong with p0', exact: true }).check();
    await page.getByText('2 issues selected').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('findings.sarif');
    const { runs } = JSON.parse(readFileSync(await download.path(), 'utf8'));
    const texts = runs[0].results.map(({ message }: { message: { text: string } }) => message.text).join();
    expect(texts).toContain('left');
    expect(texts).toContain('p0');
    expect(texts).not.toContain('p1');
    const before = (await api.request('/api/v1/suppressions', as(tokens.admin))).json.suppressions.length;
    await page.getByRole('button', { name: 'Suppress' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('both are only in tests');
    await dialog.getByRole('button', { name: 'Suppress' }).click();
    await page.getByText('Suppressed. Workers apply it').waitFor();
    expect(await page.getByText('issues selected').count()).toBe(0);
    const { suppressions } = (await api.request('/api/v1/suppressions', as(tokens.admin))).json;
    const added = suppressions.filter(
      ({ reason }: { reason: string }) => reason === 'both are only in tests',
    );
    expect([added.length, suppressions.length - before]).toEqual([2, 2]);
    expect(added.map(({ advisories }: { advisories: string[] }) => advisories).sort()).toEqual([
      ['GHSA-left'],
      ['GHSA-p0'],
    ]);
    expect(events()).toEqual([]);
  });

  it('opens addresses that people write, and programs get JSON', async () => {
    const html = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
    for (const [path, status] of [
      ['/targets/org/shop', 200],
      ['/findings/left', 200],
      ['/nothing', 404],
    ] as const) {
      const answer = await api.request(path, html);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        status,
        'text/html; charset=utf-8',
      ]);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect((await api.request(path)).json).toMatchObject({ status: 404 });
    }
    for (const path of ['/api/v1/nothing', '/page/nothing.js']) {
      expect((await api.request(path, html)).headers.get('content-type')).toContain('json');
    }
    expect((await api.request('/nothing', { ...html, method: 'POST' })).json).toMatchObject({ status: 404 });
    const { page } = await signedIn(tokens.admin, '/targets/org/shop');
    await page.getByRole('heading', { name: 'org/shop' }).waitFor();
    expect(page.url()).toBe(`${api.server.url}/target?id=org%2Fshop`);
    await page.goto(`${api.server.url}/findings/GHSA-left`);
    await page.getByRole('link', { name: TITLE }).first().waitFor();
    await page.goto(`${api.server.url}/nothing`);
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  });

  it('has a heading where there is nothing to show', async () => {
    const { page } = await signedIn(tokens.admin, '/target');
    for (const path of [
      '/target',
      '/finding',
      '/scan',
      '/inventory',
      '/graph',
      '/exceptions',
      '/exceptions?target=none',
      '/target?id=none',
      `${GRAPH}&package=none`,
    ]) {
      await show(page, path);
      await page
        .getByRole('heading', { level: 1 })
        .waitFor()
        .catch((cause) => expect.fail(`${path}: ${cause}`));
    }
  });

  it('shows what overrules the tools of a target, those that can go first', async () => {
    const { page } = await signedIn(tokens.reader, '/target?id=org%2Fshop');
    await page.getByRole('link', { name: 'Exceptions' }).click();
    await page.getByText('2 exceptions').waitFor();
    const rows = page.getByRole('row');
    expect(await rows.nth(1).innerText()).toMatch(/unused.*removable.*no package unused.*package.json:7/s);
    await page.getByRole('button', { name: 'unknown 1' }).click();
    await page.getByText('1 exception', { exact: true }).waitFor();
    expect(await rows.nth(1).innerText()).toContain('left → 1.0.0');
  });

  it('shows what happens without being loaded again', async () => {
    const { page } = await signedIn(tokens.admin, '/findings?target=org%2Fnew');
    await page.getByText('No finding fits these filters.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const found = tracked('org/new', 'left@1.0.0', 'high');
    await fleet().save('org/new', [], {
      findings: [found],
      log: [opened(found.finding.fingerprint, LEFT, TITLE)],
    });
    await page.getByRole('link', { name: TITLE }).waitFor();
  });

  it('finds a package of a lockfile, and chooses several rules and labels', async () => {
    const { page, events } = await signedIn(tokens.admin, '/target?id=org%2Fshop');
    await page.getByText('first known scan').click();
    await page.getByText('What the target held before is not known.').waitFor();
    await page.getByRole('link', { name: 'package-lock.json', exact: true }).click();
    await page.getByText('2 packages', { exact: true }).waitFor();
    await page.getByLabel('Search').fill('left');
    await page.getByText('1 package', { exact: true }).waitFor();
    await page.getByText('shop@1.0.0', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'left', exact: true }).click();
    await page.getByText('1 finding', { exact: true }).waitFor();
    await page.getByLabel('Label', { exact: true }).fill('team=web');
    await page.getByLabel('And label').fill('team=data');
    await page.getByText('No finding fits these filters.').waitFor();
    await page.getByLabel('And label').first().fill('');
    await page.getByText('1 finding', { exact: true }).waitFor();
    await page.getByLabel('Rules: Any').click();
    await page.getByRole('checkbox', { name: /vulnerability/ }).check();
    await page.getByLabel('Rules: vulnerability').waitFor();
    expect(new URL(page.url()).searchParams.getAll('rule')).toEqual(['vulnerability']);
    expect(events()).toEqual([]);
  });

  it('shows which targets hold a package, and since when', async () => {
    const { page, events } = await signedIn(tokens.admin, '/packages');
    const asked = page.getByRole('searchbox', { name: 'Package' });
    await asked.fill('nothing');
    await page.getByText('No target holds nothing.').waitFor();
    await asked.fill('left');
    const row = page.getByRole('table', { name: 'Places' }).getByRole('row').filter({ hasText: 'org/shop' });
    await row.getByText('left 1.0.0').waitFor();
    await page.getByLabel('also in the past').check();
    await page.getByRole('table', { name: 'Periods' }).waitFor();
    expect(events()).toEqual([]);
  });

  it('assigns the selected issues, and shows those of a person', async () => {
    const { page, events } = await signedIn(tokens.admin, '/issues');
    await page
      .getByLabel('Select org/shop/left@1.0.0/critical')
      .or(page.getByLabel(/^Select /))
      .first()
      .check();
    await page.getByRole('button', { name: 'Assign' }).click();
    await page.getByLabel('Person or team').fill('Sam');
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click();
    await page.getByText('Assigned to Sam.').waitFor();
    await show(page, '/findings?assignee=Sam');
    await page.getByText(/^[1-9]\d* findings?$/).waitFor();
    expect(events()).toEqual([]);
  });

  it('shows open findings in groups, and says every number of a bar', async () => {
    const { page, events } = await signedIn(tokens.admin, '/charts');
    const ages = page.getByRole('table', { name: 'Open findings by age' });
    await ages.getByText('1 critical', { exact: true }).waitFor();
    const teams = page.getByRole('region', { name: 'Label team: numbers' });
    await teams.getByRole('columnheader', { name: 'Oldest of any severity' }).waitFor();
    await page.getByLabel('At least').selectOption('high');
    await teams.getByRole('columnheader', { name: 'Oldest of high or worse' }).waitFor();
    await page.getByLabel('At least').selectOption('critical');
    await teams.getByRole('columnheader', { name: 'Oldest of critical' }).waitFor();
    await teams.getByRole('row').filter({ hasText: 'web' }).waitFor();
    await teams.getByRole('link', { name: 'web', exact: true }).click();
    await page.getByText('1 finding', { exact: true }).waitFor();
    expect(page.url()).toContain('label=team%3Dweb');
    expect(events()).toEqual([]);
  });

  it('leads from the verdict to what is wrong', async () => {
    const { page, events } = await signedIn(tokens.admin, '/charts');
    const verdict = page.locator('details.verdict');
    const way = verdict.getByRole('link', { name: 'Failed deliveries' });
    const word = page.locator('.top-bar .health');
    await word.click();
    await way.waitFor();
    await verdict.locator('summary').click();
    await way.waitFor({ state: 'hidden' });
    await word.click();
    await way.waitFor();
    expect(await verdict.textContent()).not.toContain('lockhound deliveries');
    await way.click();
    await page.getByRole('cell', { name: 'failed HTTP 500' }).waitFor();
    expect(page.url()).toContain('/deliveries?state=failed');
    expect(events()).toEqual([]);
  });

  it('shows whole titles and dates in rows of equal height', async () => {
    const { page } = await signedIn(tokens.admin, '/findings?search=LEFT', {
      viewport: { width: 1024, height: 800 },
    });
    const api = page.locator('tr[data-index]').filter({ hasText: 'org/api' });
    await api.getByText(/^\d+ d ago Jan 31/).waitFor();
    for (const [path, height] of [
      ['/findings', 63],
      ['/issues', 78],
    ] as const) {
      await show(page, path);
      const link = page.locator('.row-link').filter({ hasText: TITLE }).first();
      await link.waitFor();
      const seen = await page.evaluate(`[
        ...document.querySelectorAll('tr[data-index]')].map((row) => row.getBoundingClientRect().height)`);
      expect(new Set(seen as number[])).toEqual(new Set([height]));
      const box = `document.querySelector('.row-link')`;
      expect(await page.evaluate(`${box}.scrollHeight > ${box}.clientHeight`)).toBe(false);
    }
  });

  it('says on a phone what its numbers are, and the verdict as a whole', async () => {
    const { page } = await signedIn(tokens.admin, '/issues', { viewport: { width: 375, height: 800 } });
    await page.locator('.row-link').first().waitFor();
    await page.locator('.top-bar .health').waitFor();
    const said = await page.evaluate(`[
      ...document.querySelectorAll('.issue-table tr[data-index] td, .issue-table tr[data-index] td button')]
      .map((one) => getComputedStyle(one, '::before').content)`);
    for (const label of ['fix: ', 'CVSS ', 'targets: ']) expect(said).toContain(JSON.stringify(label));
    const verdict = `document.querySelector('.top-bar .health')`;
    expect(await page.evaluate(`${verdict}.scrollWidth > ${verdict}.clientWidth`)).toBe(false);
  });

  it('walks the dependencies of a lockfile', async () => {
    const { page, events } = await signedIn(tokens.admin, `${GRAPH}&package=left@1.0.0`);
    await page.getByRole('heading', { name: 'left@1.0.0' }).waitFor();
    const above = page.getByRole('region', { name: 'Needed by' });
    await above.getByRole('link', { name: 'shop 1.0.0' }).click();
    await page.getByRole('heading', { name: 'shop@1.0.0' }).waitFor();
    await page
      .getByRole('region', { name: 'Needs' })
      .getByRole('link', { name: 'left 1.0.0 critical' })
      .waitFor();
    await above.getByRole('link', { name: 'the project itself' }).click();
    await page.getByRole('heading', { name: 'Dependencies' }).waitFor();
    await page.getByRole('link', { name: 'shop 1.0.0' }).waitFor();
    expect(events()).toEqual([]);
  });

  it('follows an alert from its finding to the receiver', async () => {
    const { page, events } = await signedIn(tokens.admin, finding);
    const history = page.getByRole('region', { name: 'History and alerts' });
    await history.getByText('route default', { exact: true }).waitFor();
    await history.getByRole('button', { name: '1 attempt' }).click();
    await history.getByText('500', { exact: true }).waitFor();
    expect(events()).toEqual([]);
    await history.getByRole('link', { name: 'scan', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Scan', exact: true }).waitFor();
  });

  it('says what it leaves out of scans, alerts and schedules', async () => {
    const { page } = await signedIn(tokens.admin, '/deliveries');
    const scan = { scan: 's', target: 'org/shop', state: 'done', requestedAt: at };
    const watched = Array.from({ length: 201 }, (_, index) => ({ target: `t${index}`, ending: 'done', at }));
    const schedule = {
      name: 'large',
      source: { kind: 'url', urls: [] },
      jitterMs: 0,
      targets: 201,
      failing: 0,
    };
    const answers: readonly (readonly [path: RegExp, answer: object])[] = [
      [/\/scans\/s$/, { scan, deliveries: [], omitted: 3 }],
      [/\/history\?/, { scans: [], nextPageToken: 'more' }],
      [/\/deliveries\?/, { deliveries: [], stoppedRoutes: [], nextPageToken: 'more' }],
      [/\/schedules$/, { schedules: [{ ...schedule, everyMs: 60_000, paused: false, open: 0 }] }],
      [/\/schedules\/large$/, { schedule, runs: [], watched }],
    ];
    await page.route('**/api/v1/**', (route) => {
      const [, json] = answers.find(([path]) => path.test(route.request().url())) ?? [];
      return json === undefined ? route.continue() : route.fulfill({ json });
    });
    await show(page, '/scan?id=s');
    await page.getByText('and 3 earlier deliveries.').waitFor();
    await page.getByText('Not known: the target was scanned too often since.').waitFor();
    await show(page, finding);
    await page.getByText('deliveries not known').waitFor();
    await show(page, '/schedules');
    await page.getByRole('button', { name: 'large', exact: true }).click();
    await page.getByText('The first 200 of 201 targets').waitFor();
  });

  it('adds and changes a schedule', async () => {
    const { page } = await signedIn(tokens.admin, '/schedules');
    await page.getByRole('button', { name: 'Add' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('acme');
    await dialog.getByLabel('URLs, one a line').fill('https://git.example/a.git\nno url');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText(/source\.repositories\.1\.url/).waitFor();
    await dialog.getByLabel('URLs, one a line').fill('https://git.example/a.git');
    await dialog.getByLabel('Labels as').fill('team=acme');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByText('Schedule acme is saved.').waitFor();
    await page.getByRole('button', { name: 'Pause acme' }).click();
    await page.getByText('acme is paused.').waitFor();
    await page.getByRole('button', { name: 'Change acme' }).click();
    await dialog.getByLabel('Time between runs').fill('90m');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('every 90m').waitFor();
    const { json } = await api.request('/api/v1/schedules', as(tokens.admin));
    expect(json.schedules).toMatchObject([
      {
        name: 'acme',
        source: { kind: 'git', repositories: [{ url: 'https://git.example/a.git' }] },
        labels: { team: 'acme' },
        everyMs: 5_400_000,
        paused: true,
      },
    ]);
  });

  it('sends a failed alert again, and shows readers no buttons that they may not use', async () => {
    const { page } = await signedIn(tokens.admin, '/deliveries');
    await page.getByRole('button', { name: '1 attempt' }).click();
    await page.getByText('500', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Retry msg_1' }).click();
    await page.getByText('The alert is sent again.').waitFor();
    const { page: reader, events } = await signedIn(tokens.reader, '/deliveries');
    await reader.getByRole('button', { name: '1 attempt' }).waitFor();
    expect(await reader.getByRole('button', { name: /Retry/ }).count()).toBe(0);
    const views = await reader.getByRole('navigation').getByRole('link').allTextContents();
    expect(views).toEqual([
      'Overview',
      'Issues',
      'Findings',
      'Charts',
      'Targets',
      'Packages',
      'Changes',
      'Suppressions',
      'Deliveries',
      'Schedules',
    ]);
    await reader.getByRole('link', { name: 'Findings' }).click();
    await reader.getByRole('link', { name: TITLE }).first().click();
    await reader.getByRole('heading', { name: TITLE }).waitFor();
    expect(await reader.getByRole('button', { name: 'Suppress' }).count()).toBe(0);
    expect(events()).toEqual([]);
    await reader.getByRole('button', { name: 'Sign out' }).click();
    await reader.getByLabel('Token').waitFor();
  });

  it('runs and loads nothing from hostile text', async () => {
    const { page, events } = await signedIn(tokens.admin, '/findings?target=evil');
    const id = encodeURIComponent('evil/left@1.0.0/high');
    for (const path of [
      '/findings?target=evil',
      `/finding?target=evil&id=${id}`,
      '/target?id=evil',
      '/charts',
      '/changes',
      '/',
    ]) {
      await show(page, path);
      await page.getByText('globalThis.hacked=1').first().waitFor();
      expect(await page.locator('img, iframe, body script, a[href^="javascript"]').count()).toBe(0);
    }
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(events()).toEqual([]);
    // What an injected script could try is refused by the policy.
    await page.evaluate(`{
      const script = document.createElement('script');
      try { script.textContent = 'globalThis.injected = 1'; } catch {}
      document.body.append(script);
      try { document.body.innerHTML = '<b>x</b>'; } catch { globalThis.refused = 1; }
    }`);
    expect(await page.evaluate('[globalThis.injected, globalThis.refused]')).toEqual([undefined, 1]);
  });

  it('calls no target clear whose last scan could not see everything', async () => {
    await fleet().save('org/blind', [], { incomplete: true });
    await api.server.follow();
    const { page } = await signedIn(tokens.admin, '/target?id=org%2Fblind');
    await page.getByText('No open finding is known: not everything could be seen.').waitFor();
    await show(page, '/');
    await page.getByText(/ without an open finding that is known\./).waitFor();
  });

  it('counts all targets of an urgent issue, also those with a low priority', async () => {
    await fleet().save('org/late', [], { findings: [tracked('org/late', 'left@1.0.0', 'none')] });
    await api.server.follow();
    const { page } = await signedIn(tokens.admin, '/');
    const urgent = page.getByRole('region', { name: 'Most urgent' });
    const { total } = (await api.request(`/api/v1/findings?package=${LEFT}`, as(tokens.admin))).json;
    expect(total).toBeGreaterThan(2);
    await urgent.getByText(`left 1.0.0 · org/shop and ${total - 1} other targets`).waitFor();
  });

  it.each([
    [
      1280,
      'light',
      [
        '/',
        '/issues?search=p2',
        '/findings?search=left',
        finding,
        '/targets',
        '/target?id=org%2Fshop',
        '/tokens',
        '/deliveries',
        '/charts',
        '/packages?package=left&ever=true',
        INVENTORY,
        EXCEPTIONS,
        `${GRAPH}&package=left@1.0.0`,
      ],
    ],
    [
      390,
      'dark',
      [
        '/',
        '/issues?search=left',
        finding,
        '/changes',
        '/suppressions',
        '/schedules',
        '/rejected',
        '/queues',
        '/target?id=evil',
        '/charts',
        '/packages?package=left&ever=true',
        INVENTORY,
        EXCEPTIONS,
        GRAPH,
      ],
    ],
  ] as const)('is accessible and not wider than %i pixels, %s', async (width, colorScheme, paths) => {
    const { page } = await signedIn(tokens.admin, '/', {
      viewport: { width, height: 900 },
      colorScheme,
      bypassCSP: true,
    });
    await page.evaluate(AXE);
    const found: unknown[] = [];
    for (const path of paths) {
      await show(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const waiting = page.getByText(/^(?:Loading|Counting) …$/);
      await until('everything is loaded', async () => (await waiting.count()) === 0);
      const isWider = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      if (isWider > width) found.push([path, isWider]);
      found.push(...(await violations(page)).map((one) => [path, ...one]));
    }
    expect(found).toEqual([]);
  });
});

function as(token: string): RequestInit {
  return { headers: { authorization: `Bearer ${token}` } };
}
