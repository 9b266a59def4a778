import { describe, expect, it } from 'vitest';
import { readLockfile } from '../../src/lockfiles/read.ts';
import { cpuOf, type Work } from '../growth.ts';
import { COMPANIONS } from './companion-samples.ts';
import { formatOfSample, SAMPLES } from './samples.ts';

const LINE_CHARACTERS = 1_000_000;
/** CPU time in ms for one such line. Readers take up to 1 s on a slow machine; quadratic time is many minutes. */
const LINE_MS = 30_000;

/** The sample with its longest line made longer in the middle. */
function longLines(sample: string): readonly string[] {
  const lines = sample.split('\n');
  const longest = lines.reduce((best, line, at) => (line.length > (lines[best] ?? '').length ? at : best), 0);
  return ['a', '['].map((unit) =>
    lines
      .map((line, at) => {
        const middle = line.length >> 1;
        return at === longest
          ? line.slice(0, middle) + unit.repeat(LINE_CHARACTERS) + line.slice(middle)
          : line;
      })
      .join('\n'),
  );
}

function expectReadable(work: Work, sample: string): void {
  const times = longLines(sample).map((text) => cpuOf(work, text));
  expect(times.filter((ms) => ms > LINE_MS)).toEqual([]);
}

/** Reads a companion beside the sample of its lockfile. */
function besideLockfile(name: string, label: string): Work {
  const lockfile = Buffer.from(SAMPLES[label] ?? '');
  const format = formatOfSample(label);
  return (text) => {
    const companion = (asked: string) => (asked.endsWith(name) ? Buffer.from(text) : undefined);
    readLockfile({ path: 'x', content: lockfile, format, companion });
  };
}

describe('one line of 1 MB is read or refused', { timeout: 600_000 }, () => {
  it.each(Object.entries(SAMPLES))('in %s', (label, sample) => {
    const format = formatOfSample(label);
    expectReadable((text) => readLockfile({ path: 'x', content: Buffer.from(text), format }), sample);
  });

  it.each(Object.entries(COMPANIONS))('in %s beside a lockfile', (name, { sample, label }) => {
    expectReadable(besideLockfile(name, label), sample);
  });
});
