import { expect, it } from 'vitest';
import { readLockfile } from '../../src/lockfiles/read.ts';
import { BlockMemo } from '../../src/lockfiles/syntax/block-memo.ts';
import { randomOf } from '../seeded-random.ts';
import { formatOfSample, SAMPLES } from './samples.ts';

const ROUNDS = Number(process.env['FUZZ_RUNS'] ?? 60);

/** Lines that change what others mean, where they are put into a file. */
const HOSTILE = [
  '"""',
  "x = '''",
  '[[package]]',
  '[package]',
  '[metadata]',
  'package = []',
  '[[packages]]',
  '[package.metadata]',
  '',
  '# [[package]]',
];

function outcomeOf(path: string, format: string, text: string, memo?: BlockMemo): unknown {
  try {
    return readLockfile({ path, format, content: Buffer.from(text), ...(memo && { memo }) });
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** The sample with more packages. */
function manyOf(sample: string): string {
  const more = (index: number) => `\n[[package]]\nname = "more-${index}"\nversion = "${index}.0.0"\n`;
  return sample + Array.from({ length: 10 }, (_, index) => more(index)).join('');
}

const LABELS = Object.keys(SAMPLES).filter((label) => /^(?:cargo|poetry|uv|pdm|pylock)/.test(label));

it.each(LABELS)('reads versions of a %s by blocks as each alone', (label) => {
  const random = randomOf('FUZZ_SEED');
  const draw = (limit: number) => Math.floor(random() * limit);
  const format = formatOfSample(label);
  const memo = new BlockMemo();
  const original = manyOf(SAMPLES[label] ?? '');
  let lines = original.split('\n');
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = lines.join('\n');
    expect(outcomeOf('x.lock', format, text, memo)).toEqual(outcomeOf('x.lock', format, text));
    if (round % 6 === 5) lines = original.split('\n');
    const at = draw(lines.length);
    const kind = draw(4);
    if (kind === 0) lines.splice(at, 1 + draw(3));
    else if (kind === 1) lines.splice(at, 0, ...lines.slice(draw(lines.length)).slice(0, 1 + draw(6)));
    else if (kind === 2) lines.splice(at, 0, HOSTILE[draw(HOSTILE.length)] ?? '');
    else lines[at] = (lines[at] ?? '').replace(/\d/, String(draw(10)));
  }
});

it('keeps of a version only the blocks of the next one', () => {
  const memo = new BlockMemo();
  const made: string[] = [];
  const read = (...blocks: readonly string[]) => memo.read(blocks, (block) => made.push(block));
  read('a', 'b');
  read('b', 'c');
  read('b', 'a');
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});
