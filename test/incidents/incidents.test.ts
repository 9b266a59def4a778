import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { INCIDENTS, TWINS } from './catalog.ts';
import { renderReplays } from './page.ts';
import { firstAlert, replay } from './replay.ts';

describe('a replayed incident', () => {
  it.each(INCIDENTS.map((one) => [one.title, one] as const))('%s', async (_, incident) => {
    const alert = firstAlert(await replay(incident));
    expect(alert === undefined ? 'none' : 'alert').toBe(incident.expect);
    if (alert !== undefined && incident.known !== undefined) {
      expect(Date.parse(alert.at)).toBeLessThan(Date.parse(incident.known.at));
    }
  });
});

describe('an honest release that looks like an incident', () => {
  it.each(TWINS.map((one) => [one.title, one] as const))('raises no alert: %s', async (_, twin) => {
    expect(firstAlert(await replay(twin))).toBeUndefined();
  });
});

describe('docs/reference/incidents.md', () => {
  it('is what `npm run incidents` writes', async () => {
    expect(readFileSync('docs/reference/incidents.md', 'utf8')).toBe(await renderReplays());
  });
});
