import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { chromium } from 'playwright-core';
import { Secret } from '../src/model/secret.ts';
import { alertOf } from '../src/notify/alert/alert.ts';
import { PRESETS } from '../src/notify/presets/catalog.ts';
import { renderRequest } from '../src/notify/rendering/render-request.ts';
import { valuesOf } from '../src/notify/rendering/values.ts';
import { webhookOf } from '../src/notify/webhooks/preset-webhook.ts';
import { pictured } from './alert-pictures/alert.ts';
import { DRAWN, pageOf } from './alert-pictures/pages.ts';

/**
 * Writes a picture of one alert for each preset whose receiver shows it to people: `node scripts/alert-pictures.ts`. Chromium is that of
 * the system, or the program that `LOCKHOUND_CHROMIUM` names.
 */
const folder = join(import.meta.dirname, '..', 'docs', 'pictures');
const WIDTH = 760;
const browser = await chromium.launch({
  executablePath: env['LOCKHOUND_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  mkdirSync(folder, { recursive: true });
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 200 } });
  const devtools = await page.context().newCDPSession(page);
  for (const { name: preset, secret } of PRESETS) {
    const drawn = DRAWN[preset];
    if (drawn === undefined) continue;
    const webhook = webhookOf({
      route: 'default',
      name: 'pictured',
      preset,
      url: 'https://receiver.example/hook',
    });
    const { name, url, headers = {}, payload = null, encodeAs = 'json' } = webhook;
    const custom =
      secret === undefined ? {} : { [secret.name]: { secret: new Secret('https://secret.example') } };
    const values = valuesOf(alertOf(pictured(drawn.mode)), custom);
    const { body } = renderRequest({ name, url, headers, payload, encodeAs }, values);
    await page.setContent(pageOf(preset, drawn.draw(JSON.parse(body))));
    const { height } = (await page.locator('html').boundingBox()) ?? { height: 200 };
    await page.setViewportSize({ width: WIDTH, height: Math.ceil(height) });
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    writeFileSync(join(folder, `alert-${preset}.webp`), Buffer.from(data, 'base64'));
  }
} finally {
  await browser.close();
}
