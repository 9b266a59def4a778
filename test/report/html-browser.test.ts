import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScanReport } from '../../src/model/scan/verdict.ts';
import { renderHtml } from '../../src/report/html/html.ts';
import { compared, everything, HOSTILE } from './html-report.ts';

/** Debian's package `chromium`, or the program that the variable names. */
const CHROMIUM = process.env['LOCKHOUND_CHROMIUM'] ?? '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// A browser starts slowly on a machine with other work.
describe.skipIf(!existsSync(CHROMIUM))(`the HTML report in a browser (needs ${CHROMIUM})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'html-'));
  let browser: Browser;

  beforeAll(async () => {
    const { chromium } = await import('playwright-core');
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-software-rasterizer', '--process-per-site'],
      timeout: 60_000,
    });
    common = await newPage();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  let events: string[] = [];
  /** Makes a page whose requests and reports are kept. A new one takes several times as long as another report. */
  async function newPage(options: Parameters<Browser['newPage']>[0] = {}) {
    const page = await browser.newPage(options);
    page.on('console', (message) => events.push(message.text()));
    page.on('pageerror', (error) => events.push(error.message));
    page.on('dialog', (dialog) => events.push(dialog.message()));
    page.on('request', (request) => events.push(request.url()));
    return page;
  }
  let common: Page;

  /** Opens a report, with everything that the page requested or reported. */
  async function open(scanned: ScanReport, page = common) {
    const file = join(folder, 'report.html');
    writeFileSync(file, [...renderHtml(scanned)].join(''));
    events = [];
    await page.goto(pathToFileURL(file).href);
    return { page, events: () => events.filter((event) => !event.endsWith('/report.html')) };
  }

  const names = (page: Page) =>
    page
      .locator('details.package:visible .name')
      .allTextContents()
      .then((all) => all.map((one) => one.split(' ')[0]));

  it('runs nothing and loads nothing from hostile text', async () => {
    const { page, events } = await open(everything(HOSTILE));
    await page.getByRole('button', { name: 'Open all' }).click();
    expect(events()).toEqual([]);
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(await page.locator('img, iframe, script:not(body > script)').count()).toBe(0);
    expect(await page.locator('h1').textContent()).toContain('<script>');
  });

  it('refuses every script and style that is not its own', async () => {
    const { page, events } = await open(everything());
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'globalThis.injected = 1';
      document.body.append(script);
      document.body.setAttribute('style', 'color: red');
    }`);
    expect(await page.evaluate('globalThis.injected')).toBeUndefined();
    expect(events().filter((event) => event.includes('Content Security Policy'))).toHaveLength(2);
  });

  it('searches, filters and sorts with the keyboard', async () => {
    const { page } = await open(everything());
    expect(await names(page)).toEqual(['qs', 'left', 'qs', 'qs']);
    await page.keyboard.press('/');
    await page.keyboard.type('LEFT ghsa');
    expect(await names(page)).toEqual(['left']);
    expect(await page.locator('#finding-count').textContent()).toBe('1 of 4 packages with findings');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.getByLabel('note').uncheck();
    await page.getByLabel('suppressed').uncheck();
    await page.getByLabel('Sort by').selectOption('name');
    expect(await names(page)).toEqual(['left', 'qs']);
    await page.getByLabel('direct only').check();
    expect(await names(page)).toEqual(['left']);
    await page.getByRole('button', { name: 'Package' }).click();
    const first = page.locator('#package-table tbody tr').first();
    expect(await first.textContent()).toContain('side-channel');
  });

  it('sorts by severity and by priority, and unfolds what a search finds', async () => {
    const { page: plain } = await open(everything());
    expect(await names(plain)).toEqual(['qs', 'left', 'qs', 'qs']);
    await plain.getByLabel('Sort by').selectOption('severity');
    expect(await names(plain)).toEqual(['left', 'qs', 'qs', 'qs']);
    await plain.getByLabel('Sort by').selectOption('priority');
    expect(await names(plain)).toEqual(['qs', 'left', 'qs', 'qs']);
    const { page } = await open(compared());
    expect(await names(page)).toEqual(['left', 'qs', 'qs']);
    await page.keyboard.press('/');
    await page.keyboard.type('qs ghsa');
    expect(await names(page)).toEqual(['qs', 'qs']);
  });

  it('is accessible and not wider than the window, light and dark', async () => {
    const { page } = await open(compared(), await newPage({ bypassCSP: true }));
    await page.getByRole('button', { name: 'Open all' }).click();
    await page.evaluate(AXE);
    const found: unknown[] = [];
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [1280, 'dark'],
      [390, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      if (wide > width) found.push([width, colorScheme, wide]);
      const { violations } = (await page.evaluate(
        "axe.run({ resultTypes: ['violations'], iframes: false })",
      )) as { violations: { id: string; nodes: { html: string }[] }[] };
      for (const { id, nodes } of violations)
        found.push([width, colorScheme, id, nodes.map(({ html }) => html)]);
    }
    expect(found).toEqual([]);
  });
});
