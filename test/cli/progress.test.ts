import { describe, expect, it } from 'vitest';
import { progressLine } from '../../src/cli/program/progress.ts';

/** The content of the line after each redraw. */
function drawn(
  width: number,
  steps: readonly (readonly [string, number, number] | readonly [number, string])[],
): readonly string[] {
  const notes: string[] = [];
  const progress = progressLine({
    out: () => {},
    note: (text) => notes.push(text),
    colour: false,
    interactive: true,
    width: Number.POSITIVE_INFINITY,
    noteWidth: width,
  });
  for (const step of steps) {
    if (step.length === 3) progress.update(...step);
    else progress.wait(...step);
  }
  progress.clear();
  expect(notes.at(-1)).toBe('\r\u001b[2K');
  return notes.slice(0, -1).map((note) => note.replace('\r\u001b[2K', ''));
}

const filled = (line: string) => line.split('█').length - 1;

describe('the progress line', () => {
  it('is one bar for all steps and never decreases', () => {
    const lines = drawn(80, [
      ['read', 1, 1],
      ['resolve', 100, 600],
      ['resolve', 600, 600],
      ['advisories', 1, 1],
      ['advisories', 1, 4],
      ['judge', 0, 1],
      ['judge', 1, 1],
    ]);
    const bars = lines.map(filled);
    expect(bars).toEqual(bars.toSorted((left, right) => left - right));
    expect(bars.at(-1)).toBe(20);
    expect(lines[2]).toMatch(/^█+░+ resolve 600\/600$/);
  });

  it('says without a terminal only long waits', () => {
    const notes: string[] = [];
    const note = (text: string) => notes.push(text);
    const progress = progressLine({
      ...{ out: () => {}, note, colour: false, interactive: false },
      ...{ width: Number.POSITIVE_INFINITY, noteWidth: 80 },
    });
    progress.update('advisories', 0, 0);
    progress.wait(3_999, 'HTTP 503');
    progress.wait(4_600, 'HTTP\u001b[2J 429');
    progress.clear();
    expect(notes).toEqual(['waiting 5 s (HTTP\\u001b[2J 429)\n']);
  });

  it('stops while a look-up waits, and shows the reason', () => {
    const [first = '', second = ''] = drawn(80, [
      ['resolve', 600, 600],
      [4_600, 'HTTP 429'],
    ]);
    expect(filled(second)).toBe(filled(first));
    expect(second).toContain('waiting 5 s (HTTP 429)');
  });

  it('is never wider than the terminal and escapes control characters', () => {
    const [line = ''] = drawn(50, [[5_000, `\u001b[2J${'a long reason '.repeat(10)}`]]);
    expect(line.length).toBeLessThan(50);
    expect(line).not.toContain('\u001b');
  });
});
