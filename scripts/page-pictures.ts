/**
 * Writes the pictures of docs/page.md: `node scripts/page-pictures.ts <url>`, where `lockhound demo --serve` serves the page. Chromium is that
 * of the system, or the program that `LOCKHOUND_CHROMIUM` names.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, env } from 'node:process';
import { chromium, type Page } from 'playwright-core';

const folder = join(import.meta.dirname, '..', 'docs', 'pictures');
const [, , url = 'http://127.0.0.1:8705'] = argv;

/** Views with what makes them show something. */
const PICTURES: Readonly<Record<string, { readonly path: string; show?(page: Page): Promise<unknown> }>> = {
  'page-overview': { path: '/' },
  'page-issues': {
    path: '/issues',
    show: (page) => page.locator('main td button[aria-expanded=false]').first().click(),
  },
  'page-finding': {
    path: '/issues',
    async show(page) {
      await page.goto(`${url}/findings?direct=true`);
      await page.locator('a.row-link').first().click();
    },
  },
};

const browser = await chromium.launch({
  executablePath: env['LOCKHOUND_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const devtools = await page.context().newCDPSession(page);
  for (const [name, { path, show }] of Object.entries(PICTURES)) {
    await page.goto(`${url}${path}`);
    await page.locator('main h1').waitFor();
    await show?.(page);
    await page.waitForLoadState('networkidle');
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
  }
} finally {
  await browser.close();
}
